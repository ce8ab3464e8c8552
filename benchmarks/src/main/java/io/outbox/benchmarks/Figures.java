package io.outbox.benchmarks;

/**
 * What it took to deliver a backlog. The rate depends on the mood of the machine, the rest hardly does.
 *
 * @param perSecond events per second
 * @param jvmMicros processor time of the JVM per event
 * @param serverMicros processor time of the database and whatever else was started, per event; NaN if it cannot be told
 * @param walBytes what the database wrote ahead per event; NaN if it cannot be told
 */
record Figures(double perSecond, double jvmMicros, double serverMicros, double walBytes) {

    @Override
    public String toString() {
        return String.format(
                "%,.0f events/s, JVM %.1f µs, servers %.1f µs, WAL %,.0f bytes per event",
                perSecond, jvmMicros, serverMicros, walBytes);
    }
}
