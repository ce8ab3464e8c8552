package io.outbox.spring.boot.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Mono;

/** What the application says of its Redis, in the words of the client. */
class RedisAddressTest {

    private static RedisCredentials credentials(RedisURI address) {
        return address.getCredentialsProvider().resolveCredentials().block();
    }

    @Test
    void aServerHasItsDatabaseAndItsUser() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis.example", 6380);
        server.setDatabase(3);
        server.setUsername("shop");
        server.setPassword("secret");

        RedisURI address = RedisAddress.of(new LettuceConnectionFactory(server));

        assertThat(address.getHost()).isEqualTo("redis.example");
        assertThat(address.getPort()).isEqualTo(6380);
        assertThat(address.getDatabase()).isEqualTo(3);
        assertThat(credentials(address).getUsername()).isEqualTo("shop");
        assertThat(credentials(address).getPassword()).containsExactly("secret".toCharArray());
        assertThat(address.isSsl()).isFalse();
    }

    @Test
    void theClientsSettingsAreKept() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientName("shop-1")
                .commandTimeout(Duration.ofSeconds(7))
                .useSsl()
                .startTls()
                .disablePeerVerification()
                .build();

        RedisURI address = RedisAddress.of(new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client));

        assertThat(address.getClientName()).isEqualTo("shop-1");
        assertThat(address.getTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(address.isSsl()).isTrue();
        assertThat(address.isStartTls()).isTrue();
        assertThat(address.getVerifyMode()).isEqualTo(SslVerifyMode.NONE);
    }

    @Test
    void sentinelsHaveAUserOfTheirOwnAndTheClientsSettings() {
        RedisSentinelConfiguration sentinels =
                new RedisSentinelConfiguration("shop", Set.of("10.0.0.1:26379", "10.0.0.2:26379"));
        sentinels.setDatabase(2);
        sentinels.setPassword("secret");
        sentinels.setSentinelUsername("watcher");
        sentinels.setSentinelPassword("guard");
        LettuceClientConfiguration client =
                LettuceClientConfiguration.builder().useSsl().build();

        RedisURI address = RedisAddress.of(new LettuceConnectionFactory(sentinels, client));

        assertThat(address.getSentinelMasterId()).isEqualTo("shop");
        assertThat(address.getDatabase()).isEqualTo(2);
        assertThat(credentials(address).getPassword()).containsExactly("secret".toCharArray());
        assertThat(address.getSentinels())
                .extracting(RedisURI::getHost)
                .containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
        assertThat(address.getSentinels()).allSatisfy(sentinel -> {
            assertThat(credentials(sentinel).getUsername()).isEqualTo("watcher");
            assertThat(credentials(sentinel).getPassword()).containsExactly("guard".toCharArray());
            assertThat(sentinel.isSsl()).isTrue();
        });
    }

    @Test
    void aSocketIsAFile() {
        RedisURI address =
                RedisAddress.of(new LettuceConnectionFactory(new RedisSocketConfiguration("/run/redis.sock")));

        assertThat(address.getSocket()).isEqualTo("/run/redis.sock");
    }

    @Test
    void aClusterIsKnownByItsNodes() {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("10.0.0.1:6379", "10.0.0.2:6380"));
        cluster.setUsername("shop");
        cluster.setPassword("secret");

        List<RedisURI> nodes = RedisAddress.nodes(new LettuceConnectionFactory(
                cluster,
                LettuceClientConfiguration.builder()
                        .commandTimeout(Duration.ofSeconds(7))
                        .useSsl()
                        .build()));

        assertThat(nodes)
                .extracting(node -> node.getHost() + ":" + node.getPort())
                .containsExactlyInAnyOrder("10.0.0.1:6379", "10.0.0.2:6380");
        assertThat(nodes).allSatisfy(node -> {
            assertThat(credentials(node).getUsername()).isEqualTo("shop");
            assertThat(credentials(node).getPassword()).containsExactly("secret".toCharArray());
            assertThat(node.getTimeout()).isEqualTo(Duration.ofSeconds(7));
            assertThat(node.isSsl()).isTrue();
        });
    }

    @Test
    void aListOfAPrimaryAndReplicasIsRefused() {
        LettuceConnectionFactory nodes =
                new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("10.0.0.1"));

        assertThatThrownBy(() -> RedisAddress.of(nodes))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("RedisStaticMasterReplicaConfiguration");
    }

    @Test
    void credentialsComeFromWhereTheApplicationTakesThem() {
        RedisCredentialsProviderFactory vault = new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return () -> Mono.just(RedisCredentials.just("shop", "secret"));
            }

            @Override
            public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration sentinels) {
                return () -> Mono.just(RedisCredentials.just("watcher", "guard"));
            }
        };
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .redisCredentialsProviderFactory(vault)
                .build();

        RedisURI server =
                RedisAddress.of(new LettuceConnectionFactory(new RedisStandaloneConfiguration("10.0.0.1"), client));
        RedisURI watched = RedisAddress.of(
                new LettuceConnectionFactory(new RedisSentinelConfiguration("shop", Set.of("10.0.0.1:26379")), client));

        assertThat(credentials(server).getUsername()).isEqualTo("shop");
        assertThat(credentials(watched).getUsername()).isEqualTo("shop");
        assertThat(watched.getSentinels())
                .singleElement()
                .satisfies(sentinel ->
                        assertThat(credentials(sentinel).getUsername()).isEqualTo("watcher"));
    }
}
