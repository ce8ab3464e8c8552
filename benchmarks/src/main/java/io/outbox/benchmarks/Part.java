package io.outbox.benchmarks;

/** A part of the benchmark: measures candidates beside each other and reports one table. */
@FunctionalInterface
interface Part {

    void run(Report report) throws Exception;
}
