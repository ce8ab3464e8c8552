package io.outbox.samples.redis;

import io.outbox.OutboxWriter;
import io.outbox.redis.RedisOutbox;
import java.util.List;

/**
 * A shop whose orders and stock are in Redis. Its keys have the outbox's hash tag, so that it works in a cluster too.
 */
final class Shop {

    private static final String STOCK = "{outbox}:stock";

    private static final String TAKE_FROM_STOCK = """
            if tonumber(redis.call('GET', KEYS[1])) < tonumber(ARGV[1]) then return false end
            return redis.call('DECRBY', KEYS[1], ARGV[1])
            """;

    private final RedisOutbox redis;
    private final OutboxWriter writer;

    Shop(RedisOutbox redis, OutboxWriter writer) {
        this.redis = redis;
        this.writer = writer;
    }

    /** The event is all there is to store. */
    void visit(String customer) {
        writer.write("ShopVisited", "{\"customer\":\"" + customer + "\"}");
    }

    /** The order and its event are stored by one MULTI/EXEC. */
    void place(String order) {
        redis.inTransaction(commands -> {
            commands.hset("{outbox}:order:" + order, "state", "PLACED");
            writer.write("OrderPlaced", "{\"order\":\"" + order + "\"}");
        });
    }

    /** A script decides whether there is enough; if so, it and the event are one EVAL. */
    boolean take(int pieces) {
        Object left = redis.runScript(
                TAKE_FROM_STOCK,
                List.of(STOCK),
                List.of(Integer.toString(pieces)),
                () -> writer.write("StockTaken", "{\"pieces\":" + pieces + "}"));
        return left != null;
    }

    void restock(int pieces) {
        redis.inTransaction(commands -> commands.set(STOCK, Integer.toString(pieces)));
    }
}
