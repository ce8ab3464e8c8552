package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.amqp.core.Message;

/**
 * What a listener that acknowledges by itself says to the broker while its transaction is open. It is passed on after
 * the commit, when it is true. A listener that says no has its transaction rolled back; then everything comes again
 * that it had said yes to. What it says later is passed on at once.
 */
final class DeferredAnswers implements InvocationHandler {

    private final Channel channel;
    private final List<Answer> answers = new ArrayList<>();
    private boolean isOpen = true;

    DeferredAnswers(Channel channel) {
        this.channel = channel;
    }

    /** What was said of a message, or of it and all before. */
    private record Answer(long deliveryTag, boolean multiple, boolean isYes, boolean requeue) {

        boolean isOf(long tag) {
            return tag == deliveryTag || (multiple && tag < deliveryTag);
        }

        void passOn(Channel channel) throws IOException {
            if (isYes) {
                channel.basicAck(deliveryTag, multiple);
            } else {
                channel.basicNack(deliveryTag, multiple, requeue);
            }
        }

        /** What was rolled back is to come again, unless the listener does not want it. */
        Answer afterRollback() {
            return isYes ? new Answer(deliveryTag, multiple, false, true) : this;
        }
    }

    /** Returns the channel to give to the listener. */
    Channel asChannel() {
        return (Channel) Proxy.newProxyInstance(Channel.class.getClassLoader(), new Class<?>[] {Channel.class}, this);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
        Answer answer = answer(method.getName(), args);
        if (answer != null && defer(answer)) {
            return null;
        }
        try {
            return method.invoke(channel, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Answer answer(String method, Object[] args) {
        return switch (method) {
            case "basicAck" -> new Answer((long) args[0], (boolean) args[1], true, false);
            case "basicNack" -> new Answer((long) args[0], (boolean) args[1], false, (boolean) args[2]);
            case "basicReject" -> new Answer((long) args[0], false, false, (boolean) args[1]);
            default -> null;
        };
    }

    private synchronized boolean defer(Answer answer) {
        if (isOpen) {
            answers.add(answer);
        }
        return isOpen;
    }

    /** Returns those of the messages of which the listener has said something. */
    synchronized List<Message> among(List<Message> messages) {
        return messages.stream()
                .filter(message -> answers.stream()
                        .anyMatch(answer ->
                                answer.isOf(message.getMessageProperties().getDeliveryTag())))
                .toList();
    }

    /** Lets the transaction roll back if the listener said no to anything. */
    synchronized void requireNoRefusal() {
        if (!answers.stream().allMatch(Answer::isYes)) {
            throw new Rejected();
        }
    }

    /** Returns those of the messages to which nobody said no. */
    synchronized List<Message> notRefused(List<Message> messages) {
        return messages.stream()
                .filter(message -> answers.stream()
                        .noneMatch(answer -> !answer.isYes
                                && answer.isOf(message.getMessageProperties().getDeliveryTag())))
                .toList();
    }

    /** Passes on what the listener has said, after the commit. */
    synchronized void passOn() throws IOException {
        isOpen = false;
        for (Answer answer : answers) {
            answer.passOn(channel);
        }
    }

    /** Passes on what the listener has said, as far as it is true after a rollback. */
    synchronized void passOnAfterRollback() throws IOException {
        isOpen = false;
        for (Answer answer : answers) {
            answer.afterRollback().passOn(channel);
        }
    }

    /** Acknowledges messages that the listener was not given. They come first: what it said may be of all before. */
    void acknowledgeSkipped(Collection<Message> messages) throws IOException {
        for (Message message : messages) {
            channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
        }
    }
}
