package io.outbox.admin;

import io.outbox.model.OutboxEvent;
import java.util.Map;

/** Decides what operators see of payloads and headers. Called for each event that is shown with them. */
public interface PayloadMask {

    /** Shows everything. */
    PayloadMask NONE = new PayloadMask() {};

    /** Returns what is shown instead of the payload; {@code null} shows none. */
    default String payload(OutboxEvent event, String payload) {
        return payload;
    }

    /** Returns what is shown instead of the headers. */
    default Map<String, String> headers(OutboxEvent event, Map<String, String> headers) {
        return headers;
    }
}
