package io.outbox.redis;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * The names of an outbox's keys. The braces are a hash tag: in a cluster, all of them lie in one slot, together with
 * every other key that has the same tag.
 */
record RedisKeys(String name) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");

    RedisKeys {
        Objects.requireNonNull(name, "name");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name must have 1 to 64 letters, digits, '_', '.', ':' or '-': '" + name + "'");
        }
    }

    String prefix() {
        return "{" + name + "}:outbox:";
    }

    /** Returns the key that scripts are given; they derive the others from it. */
    String event() {
        return prefix() + "event";
    }

    String schema() {
        return prefix() + "schema";
    }

    String dead() {
        return prefix() + "dead";
    }

    /** Returns the name of a key that nobody else uses, and that hardly ever exists. */
    String newGuard() {
        return prefix() + "guard:"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    String wakeUpChannel() {
        return prefix() + "wake-up";
    }

    /** Returns the set of the types that have events without an order. */
    String types() {
        return prefix() + "types";
    }

    /** Returns the set of all events that keep the order of their key. */
    String order() {
        return prefix() + "order";
    }

    /** Returns the last number of an event that keeps the order of its key. */
    String number() {
        return prefix() + "number";
    }

    String deadCount() {
        return prefix() + "deadcount";
    }
}
