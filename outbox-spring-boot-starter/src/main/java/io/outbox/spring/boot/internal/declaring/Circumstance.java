package io.outbox.spring.boot.internal.declaring;

/** Circumstances in which a setting of the outbox has no effect. An application that sets it then is warned. */
public enum Circumstance {
    /** The application only consumes. */
    NO_OUTBOX,
    /** Nothing is delivered. */
    WRITER_ONLY,
    /** One event is delivered at a time, once. */
    ORDERED,
    /** Nodes lock nothing. */
    NOT_SEVERAL_NODES,
    /** There is no table. */
    NO_TABLE,
    /** There is no Redis. */
    NOT_IN_REDIS,
    /** Events are kept. */
    NO_PURGE,
    /** There are no meters. */
    NO_METERS,
    /** Events of a key keep no order. */
    NO_ORDER_BY_KEY
}
