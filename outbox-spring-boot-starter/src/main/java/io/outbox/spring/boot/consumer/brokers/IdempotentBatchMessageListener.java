package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

/**
 * Calls a listener for those messages of a batch that are new, in one transaction that has ended when the container
 * goes on.
 *
 * <p>A message that keeps failing would keep the others from being consumed as often as they come together. So messages
 * that no listener can be given, without an id or with a payload that cannot be read, are taken out, and each is
 * delivered by itself when the others are done; after any other failure, all are delivered one by one. What fails by
 * itself is refused alone. Only a container with an advice chain answers for the whole batch, by the failure: the chain
 * may call the listener again with all messages. The others are skipped when they come again.
 */
final class IdempotentBatchMessageListener implements ChannelAwareBatchMessageListener {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final ChannelAwareBatchMessageListener listener;
    private final Listener idempotent;
    private final Answering answering;

    IdempotentBatchMessageListener(
            ChannelAwareBatchMessageListener listener, Listener idempotent, Answering answering) {
        this.listener = listener;
        this.idempotent = idempotent;
        this.answering = answering;
    }

    @Override
    public void onMessageBatch(List<Message> messages, Channel channel) {
        try {
            new Delivery(messages, channel).run();
        } catch (RuntimeException e) {
            throw answering.toContainer(e);
        }
    }

    /** One delivery of a batch. */
    private final class Delivery {

        private final List<Message> messages;
        private final Channel channel;
        private final List<Message> together;
        private final List<Message> apart = new ArrayList<>();
        private final Map<Message, RuntimeException> failures = new IdentityHashMap<>();
        private final Set<Message> answered = Collections.newSetFromMap(new IdentityHashMap<>());

        private Delivery(List<Message> messages, Channel channel) {
            this.messages = messages;
            this.channel = channel;
            this.together = new ArrayList<>(messages);
        }

        private void run() {
            takeOut(message -> together.size() == 1 || !idempotent.consumer().isIdentified(message));
            try {
                while (!together.isEmpty() && !isConsumed()) {
                    // without what was taken out
                }
                for (Message message : apart) {
                    consumeAlone(message);
                }
                blame();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void takeOut(Predicate<Message> which) {
            apart.addAll(together.stream().filter(which).toList());
            together.removeIf(which);
        }

        /** Consumes messages, or takes out what is to be delivered by itself, and returns false. */
        private boolean isConsumed() throws IOException {
            try {
                consume(together);
                return true;
            } catch (ImmediateRequeueAmqpException e) {
                throw e;
            } catch (RuntimeException e) {
                Optional<Message> culprit = UnreadableMessageException.culprit(e, together);
                takeOut(message -> culprit.isEmpty() || message == culprit.get());
                return false;
            }
        }

        private void consumeAlone(Message message) throws IOException {
            try {
                consume(List.of(message));
            } catch (ImmediateRequeueAmqpException e) {
                throw e;
            } catch (RuntimeException e) {
                failures.put(message, e);
            }
        }

        private void consume(List<Message> some) throws IOException {
            IdempotentCall call = IdempotentCall.ofBatch(idempotent, some, channel, answering);
            try {
                call.run(listener::onMessageBatch);
            } finally {
                if (some.size() == 1 || !answering.isListeners()) {
                    answered.addAll(call.answered());
                }
            }
        }

        /**
         * Refuses what failed, and nothing else. A container that answers for the batch does so with the number of its
         * last message: if that has failed, the container refuses it when everything else is answered, or else it
         * acknowledges what is not refused.
         */
        private void blame() throws IOException {
            if (failures.isEmpty()) {
                return;
            }
            if (channel == null || !answering.isOneByOne()) {
                throw allFailures();
            }
            Message last = messages.get(messages.size() - 1);
            RuntimeException left = answering.isListeners() ? null : failures.get(last);
            for (Message message : messages) {
                if (left != null && message == last) {
                    throw left;
                }
                if (failures.containsKey(message)) {
                    refuse(message);
                } else if (left != null && !answered.contains(message)) {
                    channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
                }
            }
        }

        private RuntimeException allFailures() {
            Iterator<RuntimeException> each = failures.values().iterator();
            RuntimeException first = each.next();
            each.forEachRemaining(first::addSuppressed);
            return first;
        }

        private static boolean isUnwanted(Throwable failure) {
            return failure != null
                    && (failure instanceof AmqpRejectAndDontRequeueException || isUnwanted(failure.getCause()));
        }

        private void refuse(Message message) throws IOException {
            RuntimeException reason = failures.get(message);
            boolean requeue = answering.requeues() && !isUnwanted(reason);
            LOG.log(
                    Level.WARNING,
                    () -> "A message for the idempotent listener " + idempotent.name() + " is refused and "
                            + (requeue ? "redelivered" : "not redelivered") + ", because it fails on its own, too",
                    reason);
            if (!answered.contains(message)) {
                channel.basicNack(message.getMessageProperties().getDeliveryTag(), false, requeue);
            }
        }
    }

    /** For a message that comes alone, where the container makes no batches of what it receives. */
    @Override
    public void onMessage(Message message, Channel channel) throws Exception {
        IdempotentCall.runOne(idempotent, message, channel, answering, listener);
    }

    @Override
    public void containerAckMode(AcknowledgeMode mode) {
        listener.containerAckMode(mode);
    }
}
