package io.outbox;

/** An {@link EventListener} that carries its own route, for registration without repeating it. */
public abstract class BoundEventListener implements EventListener {

    private final String aggregateType;
    private final String eventType;

    public BoundEventListener(String aggregateType, String eventType) {
        this.aggregateType = Check.notBlank(aggregateType, "aggregateType");
        this.eventType = Check.notBlank(eventType, "eventType");
    }

    public BoundEventListener(AggregateType aggregateType, EventType eventType) {
        this(aggregateType.name(), eventType.name());
    }

    public String getAggregateType() {
        return aggregateType;
    }

    public String getEventType() {
        return eventType;
    }
}
