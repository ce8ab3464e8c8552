package io.outbox;

/**
 * The kind of thing an event is about, such as an order or a user. Together with the event type it selects the
 * listener. Usually an enum constant; see {@link StringAggregateType} for names known only at run time.
 */
public interface AggregateType {

    /** The aggregate type of events that name none. */
    AggregateType GLOBAL = StringAggregateType.of("__GLOBAL__");

    /** Returns the name stored with the event and used for routing. */
    String name();
}
