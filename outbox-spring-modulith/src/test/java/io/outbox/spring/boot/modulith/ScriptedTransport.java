package io.outbox.spring.boot.modulith;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/** A transport that joins as Spring Modulith's own do, through the factory, and does what a test says. */
final class ScriptedTransport {

    record Sent(Object payload, RoutingTarget target) {}

    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private volatile Function<Sent, CompletableFuture<?>> script = CompletableFuture::completedFuture;

    ScriptedTransport(OutboxEventExternalizerFactory factory) {
        factory.forTransport(this::externalize);
    }

    void script(Function<Sent, CompletableFuture<?>> answers) {
        this.script = answers;
    }

    List<Sent> sent() {
        return sent;
    }

    private CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
        Sent one = new Sent(payload, target);
        sent.add(one);
        return script.apply(one);
    }
}
