package io.outbox.dispatch;

/** Waits the same time before every attempt. */
record FixedDelay(long delayMs) implements RetryPolicy {

    @Override
    public long computeDelayMs(int attempts) {
        return delayMs;
    }

    @Override
    public String describe() {
        return Delays.words(delayMs) + " each";
    }
}
