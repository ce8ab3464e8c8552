package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
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
