package io.outbox.spring.boot.test;

import io.outbox.EventType;
import io.outbox.model.EventStatus;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on what a test has written, and on what has become of it: {@code assertThat(outbox)}. What is written in a
 * transaction that has not ended yet counts as written. A failure shows what was written instead.
 */
public final class OutboxTesterAssert extends AbstractAssert<OutboxTesterAssert, OutboxTester> {

    OutboxTesterAssert(OutboxTester actual) {
        super(actual, OutboxTesterAssert.class);
    }

    /**
     * There is an event of this type.
     *
     * @return assertions on the events of this type, each of which leaves those that fulfil it
     */
    public WrittenEventsAssert hasWritten(String eventType) {
        isNotNull();
        List<WrittenEvent> events = actual.written(eventType);
        if (events.isEmpty()) {
            throw failure("Expecting an event of type %s, but %s", eventType, Descriptions.written(actual.written()));
        }
        return new WrittenEventsAssert(this, actual.codec(), events);
    }

    /** There is an event of this type; see {@link #hasWritten(String)}. */
    public WrittenEventsAssert hasWritten(EventType eventType) {
        return hasWritten(eventType.name());
    }

    /** There is no event of this type. */
    public OutboxTesterAssert hasNotWritten(String eventType) {
        isNotNull();
        List<WrittenEvent> events = actual.written(eventType);
        if (!events.isEmpty()) {
            throw failure("Expecting no event of type %s, but %s", eventType, Descriptions.written(events));
        }
        return this;
    }

    /** There is no event of this type. */
    public OutboxTesterAssert hasNotWritten(EventType eventType) {
        return hasNotWritten(eventType.name());
    }

    /** There is no event. */
    public OutboxTesterAssert hasWrittenNothing() {
        return hasWrittenExactly();
    }

    /** There are events of these types, in this order, and no others. */
    public OutboxTesterAssert hasWrittenExactly(String... eventTypes) {
        isNotNull();
        List<WrittenEvent> events = actual.written();
        List<String> expected = List.of(eventTypes);
        if (!events.stream().map(WrittenEvent::eventType).toList().equals(expected)) {
            throw failure(
                    "Expecting %s, but %s",
                    expected.isEmpty() ? "no event" : "events of exactly these types, in this order: " + expected,
                    Descriptions.written(events));
        }
        return this;
    }

    /** No event waits for its delivery, committed or not. */
    public OutboxTesterAssert hasNothingPending() {
        return hasNone(
                "pending",
                actual.written().stream().filter(WrittenEvent::isPending).toList());
    }

    /** No event is dead. */
    public OutboxTesterAssert hasNothingDead() {
        return hasNone(
                "dead",
                actual.written().stream()
                        .filter(event -> event.status() == EventStatus.DEAD)
                        .toList());
    }

    private OutboxTesterAssert hasNone(String state, List<WrittenEvent> events) {
        if (!events.isEmpty()) {
            throw failure("Expecting no event to be %s, but there are:%s", state, Descriptions.list(events));
        }
        return this;
    }
}
