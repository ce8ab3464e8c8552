package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.JsonCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.ThrowingConsumer;

/**
 * Assertions on events of one type. Each one looks for events that fulfil it among those that have fulfilled the ones
 * before, and fails if there is none; so the chain is about the same event throughout, whichever else were written.
 */
public final class WrittenEventsAssert extends AbstractAssert<WrittenEventsAssert, List<WrittenEvent>> {

    private final OutboxTesterAssert outbox;
    private final JsonCodec codec;

    WrittenEventsAssert(OutboxTesterAssert outbox, JsonCodec codec, List<WrittenEvent> events) {
        super(events, WrittenEventsAssert.class);
        this.outbox = outbox;
        this.codec = codec;
        describedAs(outbox.descriptionText());
    }

    /** The payload, read by the codec of the application, passes these assertions. */
    public <T> WrittenEventsAssert withPayload(Class<T> type, ThrowingConsumer<? super T> requirements) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(requirements, "requirements");
        List<WrittenEvent> passed = new ArrayList<>();
        StringBuilder failures = new StringBuilder();
        for (WrittenEvent event : actual) {
            try {
                requirements.accept(read(event, type));
                passed.add(event);
            } catch (AssertionError | RuntimeException e) {
                failures.append("\n  ").append(event.eventId()).append(": ").append(e.getMessage());
            }
        }
        if (passed.isEmpty()) {
            throw failure(
                    "Expecting an event with such a payload, but of%s%nnone passes:%s",
                    Descriptions.list(actual), failures);
        }
        return narrowed(passed);
    }

    /** The payload, read by the codec of the application as an object of the same class, equals this one. */
    public WrittenEventsAssert withPayload(Object expected) {
        Objects.requireNonNull(expected, "expected");
        return withPayload(
                expected.getClass(), payload -> assertThat((Object) payload).isEqualTo(expected));
    }

    /** The payload is exactly this text. */
    public WrittenEventsAssert withPayloadJson(String expected) {
        return with(
                "the payload " + expected,
                event -> Objects.equals(expected, event.envelope().payloadJson()));
    }

    private <T> T read(WrittenEvent event, Class<T> type) {
        if (event.envelope().isBinary()) {
            throw new IllegalStateException("the payload is binary; use satisfies(…) and payloadBytes()");
        }
        return codec.fromJson(Objects.requireNonNull(event.envelope().payloadJson()), type);
    }

    public WrittenEventsAssert withAggregateId(String expected) {
        return with(
                "the aggregate id " + expected,
                event -> Objects.equals(expected, event.envelope().aggregateId()));
    }

    public WrittenEventsAssert withAggregateType(String expected) {
        return with(
                "the aggregate type " + expected,
                event -> event.envelope().aggregateType().equals(expected));
    }

    public WrittenEventsAssert withTenantId(String expected) {
        return with(
                "the tenant id " + expected,
                event -> Objects.equals(expected, event.envelope().tenantId()));
    }

    public WrittenEventsAssert withHeader(String name, String expected) {
        return with(
                "the header " + name + "=" + expected,
                event -> event.envelope().headers().containsKey(name)
                        && Objects.equals(expected, event.envelope().headers().get(name)));
    }

    /** So many attempts to deliver it have failed. */
    public WrittenEventsAssert withFailedAttempts(int expected) {
        return with(expected + " failed attempts", event -> event.attempts() == expected);
    }

    /** It waits for its delivery, committed or not. */
    public WrittenEventsAssert pending() {
        return with("a pending state", WrittenEvent::isPending);
    }

    /** Its transaction has not committed. */
    public WrittenEventsAssert uncommitted() {
        return with("no commit", event -> !event.committed());
    }

    /** Its listener has taken it. */
    public WrittenEventsAssert delivered() {
        return with("the state DONE", event -> event.status() == EventStatus.DONE);
    }

    /** It is not tried again. */
    public WrittenEventsAssert dead() {
        return with("the state DEAD", event -> event.status() == EventStatus.DEAD);
    }

    /** It is not tried again, and the text that is stored with it contains this reason. */
    public WrittenEventsAssert deadBecause(String reason) {
        Objects.requireNonNull(reason, "reason");
        return with(
                "the state DEAD and an error with " + reason,
                event -> event.status() == EventStatus.DEAD
                        && event.lastError() != null
                        && event.lastError().contains(reason));
    }

    /** There is one such event, and no more. */
    public WrittenEventsAssert once() {
        return times(1);
    }

    /** There are so many such events. */
    public WrittenEventsAssert times(int expected) {
        if (actual.size() != expected) {
            throw failure("Expecting %d such events, but there are %d:%s", expected, actual.size(), list());
        }
        return this;
    }

    /** Returns to the assertions on all that was written. */
    public OutboxTesterAssert and() {
        return outbox;
    }

    private WrittenEventsAssert with(String what, Predicate<WrittenEvent> condition) {
        List<WrittenEvent> passed = actual.stream().filter(condition).toList();
        if (passed.isEmpty()) {
            throw failure("Expecting an event with %s, but there are only:%s", what, list());
        }
        return narrowed(passed);
    }

    private WrittenEventsAssert narrowed(List<WrittenEvent> events) {
        return new WrittenEventsAssert(outbox, codec, events);
    }

    private String list() {
        return Descriptions.list(actual);
    }
}
