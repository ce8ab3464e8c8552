package io.outbox.spring.boot.internal.listeners;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxListenerRegistrar;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Registers the listeners of the catalog with the outboxes that they are for, and tells of those that nobody would
 * call.
 */
final class ListenerRegistration implements OutboxListenerRegistrar {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final ListableBeanFactory beans;
    private final ListenerRegistries registries;
    private final ListenerCatalog catalog;
    private final OutboxAssembler assembler;
    private final Mode mode;

    ListenerRegistration(
            ListableBeanFactory beans,
            ListenerRegistries registries,
            ListenerCatalog catalog,
            OutboxAssembler assembler,
            OutboxSettings settings) {
        this.beans = beans;
        this.registries = registries;
        this.catalog = catalog;
        this.assembler = assembler;
        this.mode = settings.mode();
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<ListenerDefinition> all = new ArrayList<>(catalog.annotated());
        all.addAll(catalog.late());
        all.addAll(catalog.bound());
        warnOfSilence(all);
        for (int i = 0; i < all.size(); i++) {
            register(all.get(i), all.subList(0, i));
        }
        catalog.unbound().forEach(this::requireRegistered);
        catalog.registered();
    }

    /**
     * Tells of listeners that will never be called, or not as they were meant to be, by an outbox that was built
     * elsewhere.
     */
    private void warnOfSilence(List<ListenerDefinition> all) {
        if (mode == Mode.WRITER_ONLY && !all.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "outbox.mode is writer-only, so the outbox listeners {0} are never called here",
                    all.stream().map(ListenerDefinition::description).toList());
        }
        List<String> early = all.stream()
                .filter(ListenerDefinition::isNeededEarly)
                .map(ListenerDefinition::description)
                .toList();
        if (!assembler.isUsed() && !early.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "The outbox was not built from the settings of this context, so subscriptions, lanes and versions of the outbox"
                            + " listeners {0} exist only if the code that built it declared them",
                    early);
        }
    }

    private void register(ListenerDefinition definition, List<ListenerDefinition> before) {
        try {
            requireOnlyOne(definition, before);
            DefaultListenerRegistry registry = registry(definition.outbox());
            EventListener listener = definition.listener();
            definition
                    .asSubscription()
                    .ifPresentOrElse(
                            subscription -> registry.register(subscription, listener),
                            () -> registry.register(
                                    definition.route().aggregateType(),
                                    definition.route().eventType(),
                                    listener));
            String eventType = definition.route().eventType();
            catalog.aliasesOf(eventType).forEach(former -> registry.alias(former, eventType));
        } catch (IllegalStateException e) {
            throw new ListenerRegistrationException(definition.description(), e);
        }
    }

    private static void requireOnlyOne(ListenerDefinition definition, List<ListenerDefinition> before) {
        before.stream().filter(definition::isForTheSameAs).findFirst().ifPresent(other -> {
            throw new ListenerMistake(
                    "the event type '" + definition.route().eventType() + "' has a listener already, '"
                            + other.description() + "'",
                    "Give each of them its own name, @OutboxListener(subscription = \"…\"), so that both get every"
                            + " event; or remove one");
        });
    }

    /** Refuses a listener that was forgotten; one that the application has registered itself was not. */
    private void requireRegistered(String beanName) {
        List<ListenerRegistry> all = new ArrayList<>(registries.byOutbox().values());
        beans.getBeanProvider(ListenerRegistry.class).forEach(all::add);
        boolean allAreKnown = all.stream().allMatch(DefaultListenerRegistry.class::isInstance);
        if (!allAreKnown || !beans.isSingleton(beanName)) {
            return;
        }
        EventListener listener = beans.getBean(beanName, EventListener.class);
        if (all.stream().noneMatch(registry -> ((DefaultListenerRegistry) registry).contains(listener))) {
            throw new ListenerRegistrationException(
                    beanName,
                    new IllegalStateException("it does not declare its events: annotate it with"
                            + " @OutboxListener(eventType = …), or register it with the ListenerRegistry; if other"
                            + " listeners call it, declare it with @Bean(autowireCandidate = false)"));
        }
    }

    private DefaultListenerRegistry registry(String outbox) {
        Map<String, DefaultListenerRegistry> named = registries.byOutbox();
        if (!outbox.isEmpty()) {
            DefaultListenerRegistry registry = named.get(outbox);
            if (registry == null) {
                throw new IllegalStateException("no outbox was created with the name '" + outbox + "', only "
                        + named.keySet() + "; see OutboxFactory.create");
            }
            return registry;
        }
        int others = beans.getBeanNamesForType(Outbox.class).length - named.size();
        if (others > 0 || named.isEmpty()) {
            return defaultRegistry();
        }
        if (named.size() > 1) {
            throw new IllegalStateException(
                    "there are several outboxes, " + named.keySet() + "; @OutboxListener(outbox = …) must choose one");
        }
        return named.values().iterator().next();
    }

    private DefaultListenerRegistry defaultRegistry() {
        ListenerRegistry registry = beans.getBean(ListenerRegistry.class);
        if (registry instanceof DefaultListenerRegistry open) {
            return open;
        }
        throw new IllegalStateException("the application's ListenerRegistry bean, a "
                + registry.getClass().getName() + ", is not a DefaultListenerRegistry, so nothing can be added to it");
    }
}
