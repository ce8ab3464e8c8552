package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The effect of what idempotent listeners do: a table of bills. */
class Bills {

    private final JdbcTemplate jdbc;
    private final ConcurrentHashMap<String, Integer> attempts = new ConcurrentHashMap<>();

    Bills(DataSource dataSource) {
        this.jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE IF NOT EXISTS bill (item VARCHAR(100) NOT NULL)");
    }

    /** Returns an application with all of Spring Boot, a database of its own, bills and an idempotent consumer. */
    static ApplicationContextRunner application(Class<?>... configurations) {
        return TestApplication.withoutSettings(configurations)
                .withUserConfiguration(Bills.class)
                .withPropertyValues(
                        "spring.application.name=billing",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "outbox.publisher.enabled=false",
                        "outbox.consumer.enabled=true");
    }

    void bill(String item) {
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isTrue();
        attempts.merge(item, 1, Integer::sum);
        jdbc.update("INSERT INTO bill (item) VALUES (?)", item);
    }

    /** Returns how often it was tried to bill something, committed or not. */
    int attempts(String item) {
        return attempts.getOrDefault(item, 0);
    }

    /** Returns what is billed, sorted. */
    List<String> items() {
        return jdbc.queryForList("SELECT item FROM bill ORDER BY item", String.class);
    }

    /** Returns the ids of the events that are marked as consumed, sorted. */
    List<String> marks() {
        return jdbc.queryForList("SELECT event_id FROM outbox_consumed_event ORDER BY event_id", String.class);
    }

    List<String> consumers() {
        return jdbc.queryForList("SELECT DISTINCT consumer FROM outbox_consumed_event ORDER BY consumer", String.class);
    }
}
