package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Events in transactions of JPA, on the connection that Hibernate uses. */
class JpaTransactionsTest {

    private static Runnable onPersist = () -> {};

    private final JdbcDataSource dataSource = new JdbcDataSource();
    private final List<String> log = new ArrayList<>();
    private LocalContainerEntityManagerFactoryBean factoryBean;
    private EntityManager entities;
    private TransactionTemplate transaction;
    private SpringTxContext context;

    /** A row of the business. */
    @Entity(name = "purchase")
    public static class Purchase {
        @Id
        private long id;

        protected Purchase() {}

        Purchase(long id) {
            this.id = id;
        }

        @PostPersist
        void persisted() {
            onPersist.run();
        }
    }

    @BeforeEach
    void start() {
        dataSource.setURL("jdbc:h2:mem:jpa;DB_CLOSE_DELAY=-1");
        OutboxSchema.of(dataSource, "outbox_event").createIfMissing();
        factoryBean = new LocalContainerEntityManagerFactoryBean();
        factoryBean.setDataSource(dataSource);
        factoryBean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factoryBean.setPackagesToScan(getClass().getPackageName());
        factoryBean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
        factoryBean.afterPropertiesSet();
        EntityManagerFactory factory = factoryBean.getObject();
        entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        JpaTransactionManager transactions = new JpaTransactionManager(factory);
        context = new SpringTxContext(dataSource);
        transactions.addListener(context);
        transaction = new TransactionTemplate(transactions);
    }

    @AfterEach
    void stop() {
        onPersist = () -> {};
        factoryBean.destroy();
        new JdbcTemplate(dataSource).execute("SHUTDOWN");
    }

    private int count(String table) {
        return new JdbcTemplate(dataSource).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }

    private void write() {
        new H2OutboxStore().insertNew(context.currentConnection(), EventEnvelope.ofJson("Purchased", "{}"));
        context.afterCommit(() -> log.add("committed"));
        context.afterRollback(() -> log.add("rolled back"));
    }

    @Test
    void usesTheConnectionOfHibernate() {
        transaction.executeWithoutResult(tx -> {
            assertThat(context.isTransactionActive()).isTrue();
            entities.unwrap(Session.class)
                    .doWork(connection ->
                            assertThat(sessionId(connection)).isEqualTo(sessionId(context.currentConnection())));
        });
    }

    private static String sessionId(java.sql.Connection connection) throws java.sql.SQLException {
        try (var result = connection.createStatement().executeQuery("SELECT SESSION_ID()")) {
            result.next();
            return result.getString(1);
        }
    }

    @Test
    void commitsEventAndEntityTogether() {
        transaction.executeWithoutResult(tx -> {
            entities.persist(new Purchase(1));
            write();
        });
        assertThat(count("purchase")).isEqualTo(1);
        assertThat(count("outbox_event")).isEqualTo(1);
        assertThat(log).containsExactly("committed");
    }

    @Test
    void rollsEventAndEntityBackTogether() {
        transaction.executeWithoutResult(tx -> {
            entities.persist(new Purchase(1));
            entities.flush();
            write();
            tx.setRollbackOnly();
        });
        assertThat(count("purchase")).isZero();
        assertThat(count("outbox_event")).isZero();
        assertThat(log).containsExactly("rolled back");
    }

    @Test
    void acceptsEventsOfEntityCallbacksDuringTheFlushOfTheCommit() {
        onPersist = this::write;
        transaction.executeWithoutResult(tx -> entities.persist(new Purchase(1)));
        assertThat(count("outbox_event")).isEqualTo(1);
        assertThat(log).containsExactly("committed");
    }

    @Test
    void keepsIndependentTransactionsApart() {
        TransactionTemplate requiresNew = new TransactionTemplate(
                transaction.getTransactionManager(),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        transaction.executeWithoutResult(tx -> {
            write();
            requiresNew.executeWithoutResult(inner -> write());
            assertThat(log).containsExactly("committed");
            tx.setRollbackOnly();
        });
        assertThat(count("outbox_event")).isEqualTo(1);
        assertThat(log).containsExactly("committed", "rolled back");
    }

    @Test
    void beginsANewTransactionInACallback() {
        transaction.executeWithoutResult(tx -> {
            entities.persist(new Purchase(1));
            context.afterCommit(() -> transaction.executeWithoutResult(next -> {
                assertThat(next.isNewTransaction()).isTrue();
                entities.persist(new Purchase(2));
                write();
            }));
        });
        assertThat(count("purchase")).isEqualTo(2);
        assertThat(count("outbox_event")).isEqualTo(1);
        assertThat(log).containsExactly("committed");
    }
}
