package io.outbox.spring.boot.modulith;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.UnrecoverableException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The module listeners of one name: a method, or methods of one name for different events. Thread-safe. */
final class ModuleReceiver implements EventListener {

    private final EventClasses classes;
    private final List<ModuleListener> methods = new CopyOnWriteArrayList<>();

    ModuleReceiver(EventClasses classes) {
        this.classes = classes;
    }

    /**
     * Adds a method; refuses one that would get the same events as another, since a row does not say which of the two
     * it is for.
     */
    void add(ModuleListener method) {
        if (methods.stream().anyMatch(method::overlaps)) {
            throw new ModulithSetupException(
                    "There are two module listeners '" + method.name() + "' for the same events",
                    "Give one of them another name with @ApplicationModuleListener(id = …)");
        }
        methods.add(method);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
        Object object = classes.read(event);
        methods.stream()
                .filter(method -> method.takes(object.getClass()))
                .findFirst()
                .orElseThrow(() -> new UnrecoverableException(
                        "The module listener '" + methods.get(0).name() + "' does not take "
                                + object.getClass().getName() + " any more"))
                .call(object);
        return DispatchResult.done();
    }
}
