package io.outbox.soak.node;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The keys of events: few that are always busy, some, and many that are mostly at rest. */
final class Keys {

    private static final int WITHOUT_ONE_IN = 10;
    private static final List<Integer> SIZES = List.of(5, 50, 5_000);

    private Keys() {}

    static Stream<String> all() {
        return SIZES.stream().flatMap(size -> IntStream.range(0, size).mapToObj(i -> key(size, i)));
    }

    /** Returns the key of an event, mostly; {@code null} if it has none. */
    static String next(Random random) {
        if (random.nextInt(WITHOUT_ONE_IN) == 0) {
            return null;
        }
        int size = SIZES.get(random.nextInt(SIZES.size()));
        return key(size, random.nextInt(size));
    }

    private static String key(int size, int i) {
        return "of" + size + "-" + i;
    }
}
