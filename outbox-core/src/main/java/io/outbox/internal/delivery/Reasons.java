package io.outbox.internal.delivery;

/** Why a target is unavailable, in one line of bounded length: what was thrown, and what stands behind it. */
final class Reasons {

    private static final int MAX_LENGTH = 500;

    private Reasons() {}

    /** Returns the reason; an exception whose own methods throw is known by its class. */
    static String of(Throwable thrown) {
        try {
            Throwable cause = thrown.getCause();
            return shortened(cause == null ? thrown.toString() : thrown + ", caused by " + cause);
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName();
        }
    }

    /** Returns what an exception says, without its name, unless it says nothing. */
    static String message(Throwable thrown) {
        try {
            return thrown.getMessage() == null ? of(thrown) : shortened(thrown.getMessage());
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName();
        }
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH - 1) + "…";
    }
}
