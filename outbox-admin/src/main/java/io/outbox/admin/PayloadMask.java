package io.outbox.admin;

import io.outbox.model.OutboxEvent;
import java.util.Map;

/** Decides what operators see of payloads, headers and errors. Called for each event that is shown with them. */
public interface PayloadMask {

    /** Shows everything. */
    PayloadMask NONE = new PayloadMask() {
        @Override
        public String error(String eventType, String error) {
            return error;
        }
    };

    /** Returns the text to show instead of the payload; {@code null} shows no payload. */
    default String payload(OutboxEvent event, String payload) {
        return payload;
    }

    /** Returns the headers to show instead of the real ones. */
    default Map<String, String> headers(OutboxEvent event, Map<String, String> headers) {
        return headers;
    }

    /**
     * Returns the text to show instead of an error, because an error may quote the payload: of an event, of each of its
     * attempts, of a group of failures, and of a target that is unavailable. Default: the class of the exception,
     * without its message; an ellipsis if the error does not begin with the full name of a class. If there is a mask,
     * errors cannot be searched by text.
     *
     * @param eventType the type of the event, or {@code null} if that is not known
     * @param error never {@code null}
     */
    default String error(String eventType, String error) {
        String name = error.split("[:\r\n]", 2)[0];
        boolean isClass = name.length() <= 512 && name.matches("([a-z_$][\\w$]*\\.)+[A-Z][\\w$.]*");
        return isClass ? name + ": …" : "…";
    }
}
