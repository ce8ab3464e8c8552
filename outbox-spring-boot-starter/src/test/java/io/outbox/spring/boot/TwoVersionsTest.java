package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.testservers.support.LogLines;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Two versions of an application on one table, as during a deployment. */
class TwoVersionsTest {

    private final String database = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private ApplicationContextRunner node(Class<?> version) {
        return TestApplication.small(version).withPropertyValues(database, "spring.datasource.username=sa");
    }

    static class Former {
        enum Color {
            RED
        }

        record Painted(Color color) {}

        @OutboxListener
        void on(Painted painted) {
            throw new AssertionError("cannot be read as " + painted);
        }
    }

    static class Current {
        enum Color {
            RED,
            BLUE
        }

        record Painted(Color color) {}

        private final Queue<Painted> painted = new ConcurrentLinkedQueue<>();

        @OutboxListener
        void on(Painted event) {
            painted.add(event);
        }
    }

    @Test
    void aPayloadThatTheFormerOneCannotReadIsLeftToTheCurrentOne() {
        try (LogLines log = new LogLines()) {
            node(Former.class).withPropertyValues("outbox.mode=multi-node").run(former -> {
                Deliveries.write(former, "Painted", "{\"color\":\"BLUE\"}");
                await().untilAsserted(() -> assertThat(log.at(Level.WARNING))
                        .anyMatch(line -> line.contains("has a payload that this node cannot read")));

                node(Current.class).withPropertyValues("outbox.mode=multi-node").run(current -> {
                    Current listener = current.getBean(Current.class);
                    await().untilAsserted(() ->
                            assertThat(listener.painted).containsExactly(new Current.Painted(Current.Color.BLUE)));
                    assertThat(current.getBean(Outbox.class).deadEvents().count(null))
                            .isZero();
                });
            });
        }
    }

    static class WithoutListener {}

    @Test
    void typesThatWaitAndThatNobodyListensToAreNamedOnceOnASingleNode() {
        node(Current.class)
                .withPropertyValues("outbox.mode=writer-only")
                .run(context -> Deliveries.write(context, "Painted", "{\"color\":\"RED\"}"));
        try (LogLines log = new LogLines()) {
            node(WithoutListener.class).run(context -> {
                await().untilAsserted(() -> assertThat(
                                context.getBean(Outbox.class).deadEvents().count("Painted"))
                        .isEqualTo(1));
                assertThat(log.at(Level.WARNING))
                        .filteredOn(line -> line.contains("this node has no listener for them"))
                        .singleElement()
                        .asString()
                        .contains("[Painted]");
            });
        }
    }
}
