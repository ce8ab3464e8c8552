package io.outbox;

import java.util.List;

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
        own.afterWrite(events);
        hooks.forEach(hook -> hook.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        own.afterCommit(events);
        hooks.forEach(hook -> hook.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        own.afterRollback(events);
        hooks.forEach(hook -> hook.afterRollback(events));
    }
}
