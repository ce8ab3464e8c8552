package io.outbox;

import java.util.List;
import java.util.function.Consumer;

/** Several hooks as one: those of the application, then the outbox's own, which alone decides on the owner. */
final class WriterHooks implements WriterHook {

    private final List<WriterHook> hooks;
    private final WriterHook own;

    WriterHooks(List<WriterHook> hooks, WriterHook own) {
        this.hooks = List.copyOf(hooks);
        this.own = own;
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> batch = events;
        for (WriterHook hook : hooks) {
            batch = hook.beforeWrite(batch);
            if (batch == null || batch.isEmpty()) {
                return List.of();
            }
        }
        return own.beforeWrite(batch);
    }

    @Override
    public String ownerId(List<EventEnvelope> events) {
        return own.ownerId(events);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        each("afterWrite", hook -> hook.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        each("afterCommit", hook -> hook.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        each("afterRollback", hook -> hook.afterRollback(events));
    }

    /** Calls every hook, the own one first, whatever another one throws. */
    private void each(String phase, Consumer<WriterHook> call) {
        DefaultOutboxWriter.quietly(phase, () -> call.accept(own));
        hooks.forEach(hook -> DefaultOutboxWriter.quietly(phase, () -> call.accept(hook)));
    }
}
