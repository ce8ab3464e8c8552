package io.outbox.benchmarks;

import io.outbox.BatchEventListener;
import io.outbox.EventEnvelope;
import java.util.List;

/** A broker to send events to, with the outbox's publisher and without it. */
interface BrokerTarget extends AutoCloseable {

    int BATCH = 500;

    /** The broker's name. */
    String name();

    /** What {@link #sendBare} does, in a few words. */
    String bareLoop();

    /** The outbox's publisher for this broker. */
    BatchEventListener publisher();

    /** Which events of the publisher name a target that does not exist. */
    Strays strays();

    /** Sends the events with nothing but the broker's client, and returns once the broker has confirmed all. */
    void sendBare(List<EventEnvelope> events) throws Exception;

    /** Returns how many messages have arrived since the last call. */
    long arrived() throws Exception;

    @Override
    void close();
}
