package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of tables: those that work, and those that must not get into SQL. */
class TableNameTest {

    @ParameterizedTest
    @EnumSource
    void aTableInAnotherSchemaServesEverything(TestDatabase database) {
        String url = database.newUrl();
        String schema = "app_" + UUID.randomUUID().toString().substring(0, 8);
        try (HikariDataSource admin = TestDatabase.pool(url, 1)) {
            OutboxRows.execute(admin, "CREATE SCHEMA " + schema);
            try (DeliveryFixture fixture = DeliveryFixture.on(url, schema + ".Order_Events")) {
                assertThatThrownBy(() -> fixture.jdbc().validateSchema()).hasMessageContaining("does not exist");
                fixture.jdbc().createSchema().createSchema().validateSchema();
                assertServesEverything(fixture);
            } finally {
                dropSchema(database, admin, schema);
            }
        }
    }

    private static void assertServesEverything(DeliveryFixture fixture) {
        fixture.listeners().register("Hopeless", event -> DispatchResult.dead("on purpose"));
        List<EventEnvelope> stored = DeliveryFixture.events(5);
        fixture.store(stored);
        Outbox outbox = fixture.open(DeliveryFixture.Mode.MULTI_NODE);
        List<EventEnvelope> hot = DeliveryFixture.events(5);
        fixture.inTransaction(outbox.writer(), writer -> {
            writer.writeAll(hot);
            writer.write("Hopeless", "{}");
        });

        List<String> all = new ArrayList<>(DeliveryFixture.ids(stored));
        all.addAll(DeliveryFixture.ids(hot));
        fixture.assertDelivered(all);
        await().until(() -> outbox.deadEvents().count(null) == 1);
        assertThat(outbox.deadEvents().query("Hopeless", null, 10)).hasSize(1);
        assertThat(fixture.jdbc().backend().purge(Instant.now().plusSeconds(60), 100))
                .isEqualTo(all.size() + 1);
    }

    private static void dropSchema(TestDatabase database, HikariDataSource admin, String schema) {
        boolean isDatabase = database == TestDatabase.MYSQL || database == TestDatabase.MARIADB;
        OutboxRows.execute(admin, "DROP SCHEMA " + schema + (isDatabase ? "" : " CASCADE"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "outbox event",
                "outbox_event; DROP TABLE orders",
                "outbox_event--",
                "outbox_event/**/",
                "outbox_event WHERE 1 = 1",
                "\"outbox_event\"",
                "`outbox_event`",
                "[outbox_event]",
                "outbox_event'",
                "outbox_event\n",
                "outbox_event\0",
                "outbox_event)",
                "1outbox",
                "catalog.schema.table",
                ".outbox_event",
                "app.",
                "app..outbox_event",
                "outbox-event",
                "öutbox",
                "a123456789012345678901234567890123456789012345678901234567890123"
            })
    void aNameThatIsNoPlainIdentifierIsRefusedEverywhere(String name) {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 1)) {
            assertRefused(() -> TableNames.validate(name));
            assertRefused(() -> JdbcOutbox.of(pool, name));
            assertRefused(() -> OutboxSchema.of(pool, name));
            assertRefused(() -> new H2EventPurger(name));
            assertRefused(() -> new MySqlEventPurger(name));
            assertRefused(() -> new PostgresEventPurger(name));
            for (AbstractJdbcOutboxStore store : JdbcOutboxStores.all()) {
                assertRefused(() -> store.withTable(name));
            }
        }
    }

    private static void assertRefused(Runnable use) {
        assertThatThrownBy(use::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Invalid table name")
                .hasMessageContaining("app.outbox_event");
    }
}
