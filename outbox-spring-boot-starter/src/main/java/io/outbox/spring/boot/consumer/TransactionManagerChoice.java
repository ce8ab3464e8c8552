package io.outbox.spring.boot.consumer;

import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.PropertyAccessor;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The transaction manager of the consumer's DataSource: the only one that says that it is for that DataSource, as those
 * of JDBC and JPA do; or else the only or primary one of the application, if it does not say which DataSource it is
 * for.
 */
final class TransactionManagerChoice {

    private final ListableBeanFactory beans;

    TransactionManagerChoice(ListableBeanFactory beans) {
        this.beans = beans;
    }

    PlatformTransactionManager of(DataSource dataSource) {
        DataSource wanted = unwrap(dataSource);
        Map<String, PlatformTransactionManager> fitting =
                beans.getBeansOfType(PlatformTransactionManager.class).entrySet().stream()
                        .filter(manager -> managed(manager.getValue()) == wanted)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        if (fitting.size() == 1) {
            return fitting.values().iterator().next();
        }
        PlatformTransactionManager chosen =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (chosen != null && (fitting.isEmpty() ? managed(chosen) == null : fitting.containsValue(chosen))) {
            return chosen;
        }
        throw refused(List.copyOf(fitting.keySet()));
    }

    /** Returns the DataSource that a manager says it is for; {@code null} if it does not say. */
    private static DataSource managed(PlatformTransactionManager manager) {
        PropertyAccessor properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty("dataSource")
                        && properties.getPropertyValue("dataSource") instanceof DataSource managed
                ? unwrap(managed)
                : null;
    }

    private static DataSource unwrap(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
        }
        return target;
    }

    private static OutboxStartupException refused(List<String> fitting) {
        return new OutboxStartupException(
                "The idempotent consumer cannot be set up: "
                        + (fitting.isEmpty()
                                ? "there is no transaction manager for its DataSource"
                                : "several transaction managers, " + fitting
                                        + ", are for its DataSource, and none of them is" + " the primary one"),
                "Define a PlatformTransactionManager for the DataSource, as Spring Boot does for a single one, and mark it as"
                        + " @Primary where there are several; or define a bean of type JdbcInbox");
    }
}
