package io.outbox.rabbitmq;

import io.outbox.rabbitmq.Outgoing.Target;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much is sent before its confirms are awaited: all of a batch, unless the broker may have something against it.
 * Then it goes by itself, so that nothing else has to be sent again.
 *
 * <ul>
 *   <li>A message larger than any that the broker has taken so far. One above its limit makes it close the channel, and
 *       with it go the confirms of all messages under way. The protocol does not tell the limit.
 *   <li>A message of a target of which a queue took none lately. Other queues of the target got it all the same, and get it
 *       again with each attempt; so it is one at first, and then as many as were taken since and one more. Attempts without
 *       any success are further and further apart. Routing keys may be computed, one for each event: if several targets of an
 *       exchange were refused, its messages count together.
 * </ul>
 *
 * Thread-safe.
 */
final class Pace {

    static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /** So many messages in a row are proof that a queue takes them again. */
    private static final int PROOF = 1_000;
    /** Routes may be computed, so that there is no end of them. */
    private static final int MOST_ROUTES = 1_000;

    private final AtomicInteger largestTaken = new AtomicInteger(-1);
    private final Map<Target, Refusals> refused = new ConcurrentHashMap<>();
    private final Map<String, ExchangeRefusals> exchanges = new ConcurrentHashMap<>();

    /**
     * An exchange of which a queue refused messages: the first target, whether there were others, how many it took
     * since.
     */
    private record ExchangeRefusals(Target first, boolean areSeveral, int taken) {

        ExchangeRefusals andOf(Target target) {
            return new ExchangeRefusals(first, areSeveral || !first.equals(target), 0);
        }
    }

    /** A target of which a queue refused messages: how often since it took one, and how many it took since. */
    private record Refusals(int inVain, int taken) {

        Duration pause() {
            Duration pause = FIRST_PAUSE;
            for (int i = 1; i < inVain && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
                pause = pause.multipliedBy(2);
            }
            return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        }
    }

    /** Returns how many messages, from the first on, go together. */
    int together(List<Outgoing> messages) {
        Map<Object, Integer> counts = new HashMap<>(0); // others may report refusals meanwhile
        for (int i = 0; i < messages.size(); i++) {
            Outgoing message = messages.get(i);
            if (message.body().length > largestTaken.get()) {
                return Math.max(1, i);
            }
            if (!exchanges.isEmpty()
                    && counts.merge(group(message.target()), 1, Integer::sum) > most(message.target())) {
                return i;
            }
        }
        return messages.size();
    }

    /** Returns whether the broker is known to have nothing against any of the messages. */
    boolean isFree(List<Outgoing> messages) {
        int largest = largestTaken.get();
        return messages.stream()
                .noneMatch(message -> message.body().length > largest
                        || (!exchanges.isEmpty()
                                && exchanges.containsKey(message.target().exchange())));
    }

    /** Returns what the messages of a target are counted with: those of the target, or of its exchange. */
    Object group(Target target) {
        return isOfSeveral(target) ? target.exchange() : target;
    }

    private boolean isOfSeveral(Target target) {
        ExchangeRefusals known = exchanges.get(target.exchange());
        return known != null && known.areSeveral;
    }

    /** Returns how many messages of a target's group may go together. */
    private int most(Target target) {
        ExchangeRefusals ofExchange = exchanges.get(target.exchange());
        if (ofExchange != null && ofExchange.areSeveral) {
            return ofExchange.taken + 1;
        }
        Refusals ofTarget = refused.get(target);
        return ofTarget == null ? Integer.MAX_VALUE : ofTarget.taken + 1;
    }

    /** Notes that the broker took a message: all queues of its target, or none was bound. */
    void taken(Outgoing message) {
        if (message.body().length > largestTaken.get()) {
            largestTaken.accumulateAndGet(message.body().length, Math::max);
        }
        if (!exchanges.isEmpty()) {
            refused.computeIfPresent(
                    message.target(),
                    (target, known) -> known.taken + 1 >= PROOF ? null : new Refusals(0, known.taken + 1));
            exchanges.computeIfPresent(
                    message.target().exchange(),
                    (name, known) -> known.taken + 1 >= PROOF
                            ? null
                            : new ExchangeRefusals(known.first, known.areSeveral, known.taken + 1));
        }
    }

    /** Notes that a queue of a target does not take messages; returns the time after which to try again. */
    Duration refused(Target target) {
        if (exchanges.size() < MOST_ROUTES || exchanges.containsKey(target.exchange())) {
            exchanges.merge(
                    target.exchange(), new ExchangeRefusals(target, false, 0), (known, first) -> known.andOf(target));
        }
        Refusals now = refused.size() < MOST_ROUTES
                ? refused.merge(target, new Refusals(1, 0), (known, first) -> new Refusals(known.inVain + 1, 0))
                : refused.computeIfPresent(target, (key, known) -> new Refusals(known.inVain + 1, 0));
        return now == null ? FIRST_PAUSE : now.pause();
    }

    /** Notes that the broker does not take every size any more that it took before. */
    void forgetSizes() {
        largestTaken.set(-1);
    }
}
