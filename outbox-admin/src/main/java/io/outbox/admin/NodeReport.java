package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.model.NodeStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.model.UnavailableTarget;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node says of itself with every beat, as JSON of about 300 bytes; nodes of other versions may say more or less.
 */
final class NodeReport {

    private static final int MOST_LISTED = 20;
    private static final int LONGEST_CAUSE = 200;
    private static final String HOST = host();
    private static final String VERSION = version();

    private final Map<String, Object> fields;

    private NodeReport(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** Returns what this node says now; the rate may be {@code null}. */
    static String of(Outbox outbox, Instant now, Double donePerSecond, PayloadMask mask) {
        NodeStatus status = outbox.nodeStatus();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("host", HOST);
        fields.put("version", VERSION);
        fields.put("state", status.state());
        fields.put("clock", now);
        fields.put("hot", status.hotQueueDepth());
        fields.put("cold", status.coldQueueDepth());
        fields.put("perSecond", donePerSecond);
        fields.put(
                "paused",
                outbox.pausedTypes().stream().sorted().limit(MOST_LISTED).toList());
        fields.put(
                "unavailable",
                status.unavailable().stream()
                        .limit(MOST_LISTED)
                        .map(target -> List.of(
                                target.eventType(),
                                target.since(),
                                cut(mask.error(target.eventType(), String.valueOf(target.cause())))))
                        .toList());
        return Json.text(fields);
    }

    /** Cuts what is masked already: a mask may not know what it hides once a part of that is cut off. */
    private static String cut(String text) {
        return text.length() <= LONGEST_CAUSE ? text : text.substring(0, LONGEST_CAUSE) + "…";
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /**
     * A file that the build fills: manifests are lost where an application is packed into one jar, and tests have none.
     */
    private static String version() {
        byte[] text = WebFiles.read("/META-INF/outbox-admin/version.txt");
        return text == null ? "unknown" : new String(text, StandardCharsets.UTF_8).strip();
    }

    /** Returns the name of this machine. */
    static String hostName() {
        return HOST;
    }

    static NodeReport parse(String json) {
        try {
            return new NodeReport(Json.object(json.getBytes(StandardCharsets.UTF_8)));
        } catch (Problem e) {
            return new NodeReport(Map.of());
        }
    }

    String text(String name) {
        return fields.get(name) instanceof String text ? text : null;
    }

    Instant time(String name) {
        try {
            return text(name) == null ? null : Instant.parse(text(name));
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    Double rate() {
        return fields.get("perSecond") instanceof Number number ? number.doubleValue() : null;
    }

    int count(String name) {
        return fields.get(name) instanceof Number number ? number.intValue() : 0;
    }

    /** Returns whether the node delivers, perhaps only once it is started or resumed. */
    boolean delivers() {
        String state = text("state");
        return state != null && !state.equals(State.WRITER_ONLY.name()) && !state.equals(State.CLOSED.name());
    }

    List<String> pausedTypes() {
        return fields.get("paused") instanceof List<?> types
                ? types.stream().map(String::valueOf).toList()
                : List.of();
    }

    List<UnavailableTarget> unavailable() {
        if (!(fields.get("unavailable") instanceof List<?> targets)) {
            return List.of();
        }
        return targets.stream()
                .filter(each -> each instanceof List<?> target && target.size() >= 3)
                .map(each -> (List<?>) each)
                .map(target -> new UnavailableTarget(
                        String.valueOf(target.get(0)),
                        Instant.parse(String.valueOf(target.get(1))),
                        String.valueOf(target.get(2))))
                .toList();
    }
}
