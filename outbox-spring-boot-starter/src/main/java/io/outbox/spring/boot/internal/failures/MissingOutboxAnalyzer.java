package io.outbox.spring.boot.internal.failures;

import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** Shows why there is no outbox, or nothing that writes to it. */
final class MissingOutboxAnalyzer extends MissingBeanAnalyzer {

    private static final String PUBLISHER = "outbox.publisher.enabled";

    MissingOutboxAnalyzer(BeanFactory beans, Environment environment) {
        super(Set.of(Outbox.class, OutboxPublisher.class, OutboxWriter.class), beans, environment);
    }

    @Override
    protected Optional<Explanation> explain(Class<?> type, ListableBeanFactory beans, Environment environment) {
        if (new ExplicitSettings(environment).isConsumerOnly()) {
            return because(
                    "outbox.publisher.enabled is false, and with " + OutboxKeys.CONSUMER + " there is only a consumer",
                    "Set outbox.publisher.enabled=true; or set outbox.mode, as to writer-only, and write with OutboxWriter");
        }
        if (type == OutboxPublisher.class && isOff(PUBLISHER, environment)) {
            return because(
                    "outbox.publisher.enabled is false",
                    "Set outbox.publisher.enabled=true, or write with OutboxWriter");
        }
        List<String> outboxes = List.of(beans.getBeanNamesForType(Outbox.class, true, false));
        if (outboxes.size() > 1) {
            return because(
                    "there are several outboxes, " + outboxes + ", and none of them is @Primary",
                    "Inject an Outbox by its name, for example with @Qualifier(\"" + outboxes.get(0)
                            + "\"), and write with its publisher() or writer(); or mark one as @Primary");
        }
        return noEngine(beans);
    }

    private static Optional<Explanation> noEngine(ListableBeanFactory beans) {
        SeveralDataSources dataSources = SeveralDataSources.of(beans);
        if (dataSources.areSeveral()) {
            return because(dataSources.problem(), dataSources.remedy());
        }
        return dataSources.candidates().isEmpty()
                ? because(
                        "there is no DataSource for the outbox",
                        "Add the driver of your database and set spring.datasource.url, or define a bean of type"
                                + " DataSource or OutboxBackend")
                : Optional.empty();
    }
}
