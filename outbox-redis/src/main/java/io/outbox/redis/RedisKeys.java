package io.outbox.redis;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The names of an outbox's keys. The braces are a hash tag: in a cluster, all of them lie in one slot, together with every
 * other key that has the same tag.
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

    String wakeUpChannel() {
        return prefix() + "wake-up";
    }

    String deadCount() {
        return prefix() + "deadcount";
    }
}
