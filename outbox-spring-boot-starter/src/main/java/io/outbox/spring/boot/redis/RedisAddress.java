package io.outbox.spring.boot.redis;

import io.lettuce.core.RedisURI;
import io.outbox.redis.RedisOutbox;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithPassword;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** Where the application's Redis is, as Lettuce names it. */
final class RedisAddress {

    private RedisAddress() {}

    /** Begins an outbox on the server, or in the cluster, that the factory connects to. */
    static RedisOutbox.Builder builder(LettuceConnectionFactory connections) {
        return connections.getClusterConfiguration() != null
                ? RedisOutbox.clusterBuilder(nodes(connections))
                : RedisOutbox.builder(of(connections));
    }

    /** Returns the addresses of the cluster's nodes, with credentials and time limits. */
    static List<RedisURI> nodes(LettuceConnectionFactory connections) {
        RedisClusterConfiguration cluster = connections.getClusterConfiguration();
        List<RedisURI> nodes = new ArrayList<>();
        for (RedisNode node : cluster.getClusterNodes()) {
            RedisURI address = authenticated(RedisURI.Builder.redis(node.getHost(), node.getPort()), cluster)
                    .build();
            apply(connections.getClientConfiguration(), address);
            connections
                    .getClientConfiguration()
                    .getRedisCredentialsProviderFactory()
                    .ifPresent(credentials ->
                            address.setCredentialsProvider(credentials.createCredentialsProvider(cluster)));
            nodes.add(address);
        }
        return nodes;
    }

    /** Returns the address of the server that the factory connects to, with its credentials and time limits. */
    static RedisURI of(LettuceConnectionFactory connections) {
        if (isStaticMasterReplica(connections)) {
            throw new OutboxStartupException(
                    "outbox.backend is redis, and a RedisStaticMasterReplicaConfiguration does not name the node that takes"
                            + " writes",
                    "Define a bean of type RedisOutbox that connects to the primary, or use sentinels");
        }
        LettuceClientConfiguration client = connections.getClientConfiguration();
        RedisURI address = server(connections).build();
        apply(client, address);
        address.getSentinels().forEach(sentinel -> apply(client, sentinel));
        client.getRedisCredentialsProviderFactory()
                .ifPresent(credentials -> authenticate(address, connections, credentials));
        return address;
    }

    /**
     * Looks at what the factory was given, because it tells this of every kind but of this one, and answers as if it
     * were local.
     */
    private static boolean isStaticMasterReplica(LettuceConnectionFactory connections) {
        DirectFieldAccessor fields = new DirectFieldAccessor(connections);
        return fields.isReadableProperty("configuration")
                && fields.getPropertyValue("configuration") instanceof RedisStaticMasterReplicaConfiguration;
    }

    /** Takes credentials from where the application does, such as a vault that changes them. */
    private static void authenticate(
            RedisURI address, LettuceConnectionFactory connections, RedisCredentialsProviderFactory credentials) {
        RedisSentinelConfiguration sentinels = connections.getSentinelConfiguration();
        address.setCredentialsProvider(credentials.createCredentialsProvider(configuration(connections)));
        for (RedisURI sentinel : address.getSentinels()) {
            sentinel.setCredentialsProvider(credentials.createSentinelCredentialsProvider(sentinels));
        }
    }

    private static RedisConfiguration configuration(LettuceConnectionFactory connections) {
        if (connections.getSentinelConfiguration() != null) {
            return connections.getSentinelConfiguration();
        }
        return connections.getSocketConfiguration() != null
                ? connections.getSocketConfiguration()
                : connections.getStandaloneConfiguration();
    }

    private static void apply(LettuceClientConfiguration client, RedisURI address) {
        client.getClientName().ifPresent(address::setClientName);
        address.setTimeout(client.getCommandTimeout());
        address.setSsl(client.isUseSsl());
        address.setStartTls(client.isStartTls());
        address.setVerifyPeer(client.getVerifyMode());
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
        for (RedisNode node : sentinels.getSentinels()) {
            RedisURI.Builder sentinel = RedisURI.Builder.redis(node.getHost(), node.getPort());
            address.withSentinel(
                    authenticated(sentinel, sentinels.getSentinelUsername(), sentinels.getSentinelPassword())
                            .build());
        }
        return authenticated(address, sentinels);
    }

    private static RedisURI.Builder authenticated(RedisURI.Builder address, WithPassword credentials) {
        return authenticated(address, credentials.getUsername(), credentials.getPassword());
    }

    private static RedisURI.Builder authenticated(RedisURI.Builder address, String user, RedisPassword password) {
        password.toOptional().ifPresent(secret -> {
            if (user == null || user.isEmpty()) {
                address.withPassword(secret);
            } else {
                address.withAuthentication(user, secret);
            }
        });
        return address;
    }
}
