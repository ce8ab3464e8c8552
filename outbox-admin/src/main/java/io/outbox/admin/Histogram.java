package io.outbox.admin;

import java.util.Arrays;

/**
 * How long something took how often, in steps that grow by a fifth, so that a percentile is right to about ten percent.
 * Not thread-safe.
 */
final class Histogram {

    private static final double STEP = Math.log(1.2);
    private static final int STEPS = 128;

    private final int[] counts = new int[STEPS];
    private long total;

    void add(long ms) {
        counts[index(ms)]++;
        total++;
    }

    private static int index(long ms) {
        return ms < 1 ? 0 : (int) Math.min(STEPS - 1L, 1 + Math.round(Math.log(ms) / STEP));
    }

    void add(Histogram other) {
        for (int i = 0; i < STEPS; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
    }

    /** Returns the time that this share of all took at most, or {@code null} if there is none. */
    Long percentile(double share) {
        long rest = (long) Math.ceil(total * share);
        for (int i = 0; i < STEPS && total > 0; i++) {
            rest -= counts[i];
            if (rest <= 0) {
                return i == 0 ? 0L : Math.round(Math.exp((i - 1) * STEP));
            }
        }
        return null;
    }

    /** Returns the steps that were counted, as in {@code 3:17 4:2}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < STEPS; i++) {
            if (counts[i] > 0) {
                text.append(text.isEmpty() ? "" : " ").append(i).append(':').append(counts[i]);
            }
        }
        return text.toString();
    }

    /** Reads what {@link #toString()} wrote; what cannot be read is left out. */
    static Histogram of(String text) {
        Histogram histogram = new Histogram();
        Arrays.stream(text.split(" "))
                .filter(each -> each.matches("\\d{1,3}:\\d{1,9}"))
                .forEach(each -> {
                    int colon = each.indexOf(':');
                    int index = Math.min(STEPS - 1, Integer.parseInt(each, 0, colon, 10));
                    int count = Integer.parseInt(each, colon + 1, each.length(), 10);
                    histogram.counts[index] += count;
                    histogram.total += count;
                });
        return histogram;
    }
}
