package io.outbox.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.outbox.redis.RedisOutboxException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The node of a cluster that has the slot of an outbox.
 *
 * <p>All keys of an outbox lie in one slot, so it needs one node at a time and none of what a client of a cluster does
 * beyond finding it. The nodes that are known are asked one after the other, in random order, until one names the owner
 * of the slot. The node that was doubted is asked last: cut off from the others, it would still name itself. What they
 * answer also tells which other nodes there are, so that a cluster whose first nodes are gone is still found. Callers
 * share a search. Thread-safe.
 */
final class ClusterAddress implements ServerAddress {

    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(2);
    private static final int MOST_NODES = 32;

    private record Node(String host, int port) {
        static Node of(RedisURI uri) {
            return new Node(uri.getHost(), uri.getPort());
        }
    }

    private final RedisClient client;
    private final RedisURI pattern;
    private final Set<Node> seeds = new LinkedHashSet<>();
    private final int slot;
    private Set<Node> known = Set.of();
    private @Nullable Node doubted;
    private @Nullable CompletableFuture<RedisURI> current;

    /** @param nodes some of the cluster; credentials, TLS and timeout of the first are those of all */
    ClusterAddress(RedisClient client, List<RedisURI> nodes, int slot) {
        this.client = client;
        this.pattern = nodes.get(0);
        this.slot = slot;
        nodes.forEach(node -> seeds.add(Node.of(node)));
    }

    @Override
    public synchronized CompletableFuture<RedisURI> find() {
        if (current == null || current.isCompletedExceptionally()) {
            current = ask(candidates(), null).thenApply(this::uri);
        }
        return current;
    }

    @Override
    public synchronized void doubt() {
        if (current != null && current.isDone()) {
            doubted = current.isCompletedExceptionally() ? null : Node.of(current.join());
            current = null;
        }
    }

    @Override
    public boolean mayMove() {
        return true;
    }

    @Override
    public Duration timeout() {
        return pattern.getTimeout();
    }

    private List<Node> candidates() {
        Set<Node> all = new LinkedHashSet<>(seeds);
        all.addAll(known);
        List<Node> order = new ArrayList<>(all);
        Collections.shuffle(order);
        if (doubted != null && order.remove(doubted)) {
            order.add(doubted);
        }
        return order;
    }

    /** Asks the nodes one after the other, until one knows. */
    private CompletableFuture<Node> ask(List<Node> nodes, @Nullable Throwable lastFailure) {
        if (nodes.isEmpty()) {
            return CompletableFuture.failedFuture(new RedisOutboxException(
                    "No node of the Redis cluster names the one with slot " + slot + ": " + reason(lastFailure),
                    lastFailure,
                    Kind.UNREACHABLE));
        }
        return ask(nodes.get(0)).exceptionallyCompose(failure -> ask(nodes.subList(1, nodes.size()), failure));
    }

    private static @Nullable String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "no node is known";
        }
        return failure.getCause() == null ? failure.getMessage() : reason(failure.getCause());
    }

    private CompletableFuture<Node> ask(Node node) {
        CompletableFuture<StatefulRedisConnection<String, String>> connecting =
                client.connectAsync(StringCodec.UTF8, uri(node)).toCompletableFuture();
        return connecting
                .thenCompose(connection -> connection.async().clusterSlots())
                .thenApply(slots -> owner(slots, node))
                .orTimeout(Math.min(LONGEST_QUESTION.toMillis(), timeout().toMillis()), TimeUnit.MILLISECONDS)
                .whenComplete((owner, failure) -> connecting.thenAccept(StatefulRedisConnection::closeAsync));
    }

    private RedisURI uri(Node node) {
        return RedisURI.builder(pattern).withHost(node.host).withPort(node.port).build();
    }

    /** Reads {@code CLUSTER SLOTS}: first and last slot of a range, its primary, its replicas. */
    private Node owner(List<?> ranges, Node asked) {
        Set<Node> nodes = new LinkedHashSet<>();
        @Nullable Node owner = null;
        for (Object range : ranges) {
            List<?> values = (List<?>) range;
            List<Node> those = values.subList(2, values.size()).stream()
                    .map(node -> node((List<?>) node, asked))
                    .toList();
            if ((Long) values.get(0) <= slot && slot <= (Long) values.get(1)) {
                owner = those.get(0);
            }
            those.stream().limit(MOST_NODES - nodes.size()).forEach(nodes::add);
        }
        if (owner == null) {
            throw new IllegalStateException("no node of the cluster has this slot");
        }
        synchronized (this) {
            known = nodes;
        }
        return owner;
    }

    /** A node that does not tell its host is to be found where the one is that was asked. */
    private static Node node(List<?> values, Node asked) {
        String host = (String) values.get(0);
        return new Node(
                host == null || host.isEmpty() || host.equals("?") ? asked.host : host,
                ((Long) values.get(1)).intValue());
    }
}
