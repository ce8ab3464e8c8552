package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.outbox.testservers.RedisServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is asked of a server before an outbox relies on it. */
class ServerCheckTest {

    private final String name = Redis.newName();
    private final RedisURI uri = Redis.uri(Redis.server());

    @AfterEach
    void restore() {
        Redis.commands().configSet("maxmemory-policy", "noeviction");
    }

    @Test
    void aServerThatMayEvictEventsIsRefused() {
        for (String policy : new String[] {"allkeys-lru", "allkeys-lfu", "allkeys-random"}) {
            Redis.commands().configSet("maxmemory-policy", policy);

            assertThatThrownBy(() -> Redis.connect(uri, name))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("maxmemory-policy '" + policy + "'")
                    .hasMessageContaining("noeviction");
        }
    }

    @Test
    void aServerThatEvictsOnlyWhatExpiresIsAccepted() {
        Redis.commands().configSet("maxmemory-policy", "volatile-lru");

        Redis.connect(uri, name).close();
    }

    @Test
    void aServerThatPersistsNothingIsWarnedAbout() {
        assertThat(warningsOf(Redis.server())).as("with a log").isEmpty();
        try (RedisServer server = RedisServer.start()) {
            assertThat(warningsOf(server))
                    .singleElement()
                    .asString()
                    .contains("Redis persists nothing")
                    .contains(name);
        }
        try (RedisServer server = RedisServer.start("--save", "60 1")) {
            assertThat(warningsOf(server)).as("with snapshots").isEmpty();
        }
    }

    /** Returns what is logged when an outbox connects. */
    private List<String> warningsOf(RedisServer server) {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(ServerCheck.class.getName());
        logger.addHandler(handler);
        try {
            Redis.connect(Redis.uri(server), name).close();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }

    @Test
    void aServerThatIsTooOldOrUnknownIsRefused() {
        for (String version : new String[] {"6.2.14", "2.8", "", "unknown"}) {
            assertThatThrownBy(() -> ServerCheck.requireVersion(version))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("needs Redis 7 or later");
        }
        assertThatNoException().isThrownBy(() -> {
            ServerCheck.requireVersion("7.0.15");
            ServerCheck.requireVersion("10.1");
        });
    }

    @Test
    void keysOfAnotherLayoutAreRefused() {
        Redis.connect(uri, name).close();
        Redis.connect(uri, name).close();
        Redis.commands().set("{" + name + "}:outbox:schema", "99");

        assertThatThrownBy(() -> Redis.connect(uri, name))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("layout version 99");
    }

    @Test
    void aServerThatCannotBeReachedIsToldAtOnce() {
        assertThatThrownBy(() -> Redis.connect(RedisURI.create("redis://127.0.0.1:1"), name))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("connection");
    }

    @Test
    void aNameIsOfHarmlessCharacters() {
        for (String bad : new String[] {"", "a b", "{a}", "x".repeat(65)}) {
            assertThatThrownBy(() -> RedisOutbox.builder(uri).name(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
