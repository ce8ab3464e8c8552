package io.outbox.spring.boot.internal.redis;

import io.lettuce.core.RedisURI;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import org.springframework.data.redis.connection.RedisConfiguration.WithPassword;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where the application's Redis is, as Lettuce names it. */
final class RedisAddress {

    private RedisAddress() {}

    /** Returns the address of the server that the factory connects to, with its credentials and time limits. */
    static RedisURI of(LettuceConnectionFactory connections) {
        if (connections.getClusterConfiguration() != null) {
            throw new OutboxStartupException(
                    "outbox.backend is redis, and spring.data.redis.cluster names a cluster, which the outbox cannot find its"
                            + " way in by itself",
                    "Define a bean of type RedisOutbox that connects to the node with the outbox's hash slot, or give the"
                            + " outbox a server of its own");
        }
        RedisURI.Builder address = server(connections);
        LettuceClientConfiguration client = connections.getClientConfiguration();
        client.getClientName().ifPresent(address::withClientName);
        return address.withTimeout(client.getCommandTimeout())
                .withSsl(client.isUseSsl())
                .withStartTls(client.isStartTls())
                .withVerifyPeer(client.getVerifyMode())
                .build();
    }

    private static RedisURI.Builder server(LettuceConnectionFactory connections) {
        RedisSentinelConfiguration sentinels = connections.getSentinelConfiguration();
        if (sentinels != null) {
            return sentinels(sentinels);
        }
        RedisSocketConfiguration socket = connections.getSocketConfiguration();
        if (socket != null) {
            return authenticated(RedisURI.Builder.socket(socket.getSocket()), socket)
                    .withDatabase(socket.getDatabase());
        }
        RedisStandaloneConfiguration server = connections.getStandaloneConfiguration();
        return authenticated(RedisURI.Builder.redis(server.getHostName(), server.getPort()), server)
                .withDatabase(server.getDatabase());
    }

    private static RedisURI.Builder sentinels(RedisSentinelConfiguration sentinels) {
        RedisURI.Builder address = RedisURI.builder()
                .withSentinelMasterId(sentinels.getMaster().getName())
                .withDatabase(sentinels.getDatabase());
        RedisPassword password = sentinels.getSentinelPassword();
        for (RedisNode node : sentinels.getSentinels()) {
            if (password.isPresent()) {
                address.withSentinel(node.getHost(), node.getPort(), String.valueOf(password.get()));
            } else {
                address.withSentinel(node.getHost(), node.getPort());
            }
        }
        return authenticated(address, sentinels);
    }

    private static RedisURI.Builder authenticated(RedisURI.Builder address, WithPassword credentials) {
        credentials.getPassword().toOptional().ifPresent(password -> {
            String user = credentials.getUsername();
            if (user == null || user.isEmpty()) {
                address.withPassword(password);
            } else {
                address.withAuthentication(user, password);
            }
        });
        return address;
    }
}
