package io.outbox.spring.boot.consumer.brokers;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What a listener says about its messages while its transaction is open. It is passed on after the commit, when it is
 * true. A listener that says no has its transaction rolled back. What it says later is passed on at once.
 *
 * <p>The listener counts the messages that it was given; the container counts all.
 */
final class DeferredAcknowledgment implements Acknowledgment {

    private static final Acknowledgment NOBODY = new Nobody();

    private final Acknowledgment container;
    private final DeferredAcknowledgment whole;
    private final List<? extends ConsumerRecord<?, ?>> all;
    private List<? extends ConsumerRecord<?, ?>> given;
    private boolean isOpen = true;
    private Runnable answer;
    private int refusedFrom = -1;
    private Duration pause;

    private DeferredAcknowledgment(
            Acknowledgment container, DeferredAcknowledgment whole, List<? extends ConsumerRecord<?, ?>> all) {
        this.container = container;
        this.whole = whole;
        this.all = all;
        this.given = all;
    }

    /** For calls whose outcome the container learns otherwise. */
    private static final class Nobody implements Acknowledgment {

        @Override
        public void acknowledge() {}

        @Override
        public void acknowledge(int index) {}
    }

    /** Returns what to give to the listener; {@code null} if the container does not want to know. */
    static DeferredAcknowledgment of(Acknowledgment container, List<? extends ConsumerRecord<?, ?>> all) {
        return container == null ? null : new DeferredAcknowledgment(container, null, all);
    }

    /** Returns what to give to a listener for some of the messages, of which the container learns otherwise. */
    static DeferredAcknowledgment forPart(DeferredAcknowledgment whole, List<? extends ConsumerRecord<?, ?>> part) {
        return whole == null ? null : new DeferredAcknowledgment(NOBODY, whole, part);
    }

    synchronized void give(List<? extends ConsumerRecord<?, ?>> messages) {
        given = messages;
    }

    @Override
    public synchronized void acknowledge() {
        say(container::acknowledge);
    }

    @Override
    public synchronized void acknowledge(int index) {
        int inAll = inAll(index);
        say(() -> container.acknowledge(inAll));
    }

    private void say(Runnable what) {
        if (isOpen) {
            answer = what;
        } else {
            what.run();
        }
    }

    @Override
    public synchronized void nack(Duration sleep) {
        if (isOpen) {
            refuse(0, sleep);
        } else {
            container.nack(sleep);
        }
    }

    @Override
    public synchronized void nack(int index, Duration sleep) {
        int inAll = inAll(index);
        if (isOpen) {
            refuse(inAll, sleep);
        } else {
            container.nack(inAll, sleep);
        }
    }

    private void refuse(int from, Duration sleep) {
        refusedFrom = from;
        pause(sleep);
    }

    /** It is the whole that passes a refusal on. */
    private synchronized void pause(Duration sleep) {
        pause = sleep;
        if (whole != null) {
            whole.pause(sleep);
        }
    }

    /** Lets the transaction roll back if the listener said no. */
    synchronized void requireNoRefusal() {
        if (refusedFrom >= 0) {
            throw new Rejected();
        }
    }

    /** Returns the first of all messages that the listener does not accept. */
    synchronized int refusedFrom() {
        return refusedFrom;
    }

    /** Passes on that a message is refused, after the rollback. */
    synchronized void passOnRefusal() {
        isOpen = false;
        container.nack(pause);
    }

    /** Passes on that messages are refused from this one on, after the rollback. */
    synchronized void passOnRefusalFrom(int first) {
        isOpen = false;
        container.nack(first, pause);
    }

    /** Passes on what the listener has said, after the commit. */
    synchronized void passOn() {
        isOpen = false;
        if (answer != null) {
            answer.run();
        }
    }

    /** Acknowledges everything, since the listener was not called. */
    void acknowledgeSkipped() {
        container.acknowledge();
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    private int inAll(int index) {
        return BatchPositions.of(given.get(index), all);
    }
}
