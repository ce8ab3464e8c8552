package io.outbox.soak.ledger;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** One fact in a {@link Ledger}, a line of words. */
public sealed interface Entry {

    /** How a business transaction ended, as far as its writer knows. */
    enum TransactionEnd {
        COMMITTED,
        /** Certainly: the commit was never asked for. */
        ROLLED_BACK,
        /** The commit failed. */
        UNKNOWN,
        /** Certainly not stored: the write was undone inside the transaction, whatever became of the commit. */
        UNDONE
    }

    /** What a listener answered. */
    enum Answer {
        DONE,
        DEAD,
        /** By an exception, an interruption, or a wish to see the event later. */
        AGAIN
    }

    /** Returns the line for the file. */
    String line();

    /** Returns the entry of a line that {@link #line()} made. */
    static Entry parse(String line) {
        String[] words = line.split(" ");
        return switch (words[0]) {
            case "ready" -> new Ready();
            case "writing" -> new Writing(words[1], EventKind.valueOf(words[2]), instant(words[3]));
            case "keyed" -> new Keyed(words[1], words[2], Long.parseLong(words[3]));
            case "written" -> new Written(words[1], TransactionEnd.valueOf(words[2]), instant(words[3]));
            case "begun" -> new Begun(Long.parseLong(words[1]), words[2], instant(words[3]));
            case "ended" -> new Ended(Long.parseLong(words[1]), instant(words[2]), Answer.valueOf(words[3]));
            case "skipped" -> new Skipped(words[1], instant(words[2]));
            default -> throw new IllegalArgumentException("not an entry: " + line);
        };
    }

    private static Instant instant(String micros) {
        return Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }

    /** The node delivers. */
    record Ready() implements Entry {
        @Override
        public String line() {
            return "ready";
        }
    }

    /** A transaction is about to write the event; without {@link Written} after it, nobody knows how it ended. */
    record Writing(String eventId, EventKind kind, Instant availableAt) implements Entry {
        @Override
        public String line() {
            return "writing " + eventId + " " + kind + " " + micros(availableAt);
        }
    }

    /**
     * The transaction keeps other writers of the key waiting until it ends, and has given the event its number: among
     * the events of a key that are stored, the order of numbers is the order of commits.
     */
    record Keyed(String eventId, String key, long number) implements Entry {
        @Override
        public String line() {
            return "keyed " + eventId + " " + key + " " + number;
        }
    }

    /** The transaction that wrote the event has ended. */
    record Written(String eventId, TransactionEnd end, Instant at) implements Entry {
        @Override
        public String line() {
            return "written " + eventId + " " + end + " " + micros(at);
        }
    }

    /** A listener got the event. */
    record Begun(long delivery, String eventId, Instant at) implements Entry {
        @Override
        public String line() {
            return "begun " + delivery + " " + eventId + " " + micros(at);
        }
    }

    /** An operator is about to skip an event that blocks its key: from now on its key may continue. */
    record Skipped(String eventId, Instant at) implements Entry {
        @Override
        public String line() {
            return "skipped " + eventId + " " + micros(at);
        }
    }

    /** The listener answered. */
    record Ended(long delivery, Instant at, Answer answer) implements Entry {
        @Override
        public String line() {
            return "ended " + delivery + " " + micros(at) + " " + answer;
        }
    }
}
