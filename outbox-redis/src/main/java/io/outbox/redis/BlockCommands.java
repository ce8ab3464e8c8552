package io.outbox.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Locale;
import java.util.Set;

/**
 * The commands of a block, without those that would change the connection for the transactions after it, and with
 * answers that nobody can wait for while the block gathers, since nothing has been sent.
 */
final class BlockCommands implements InvocationHandler {

    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "select", "auth", "hello", "reset", "quit", "client", "monitor", "subscribe", "psubscribe", "ssubscribe");
    private static final Set<String> WAITING = Set.of("get", "await");

    private final RedisAsyncCommands<String, String> commands;
    private volatile boolean gathering = true;

    BlockCommands(RedisAsyncCommands<String, String> commands) {
        this.commands = commands;
    }

    @SuppressWarnings("unchecked")
    RedisAsyncCommands<String, String> proxy() {
        return proxy(RedisAsyncCommands.class, this);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(BlockCommands.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Lets answers be waited for from now on. */
    void sent() {
        gathering = false;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
        String name = method.getName().equals("dispatch") ? String.valueOf(args[0]) : method.getName();
        refuseConnectionCommand(name.toLowerCase(Locale.ROOT));
        Object result = call(commands, method, args);
        return gathering && result instanceof RedisFuture<?> answer ? answer(answer) : result;
    }

    private static void refuseConnectionCommand(String name) {
        if (OF_THE_CONNECTION.contains(name.startsWith("client") ? "client" : name)) {
            throw new IllegalStateException("The block has called " + name.toUpperCase(Locale.ROOT)
                    + ", which changes the connection also for transactions after this one; nothing was sent. Set database,"
                    + " user and name of a connection in the address of the outbox");
        }
    }

    private RedisFuture<?> answer(RedisFuture<?> answer) {
        return proxy(RedisFuture.class, (proxy, method, args) -> {
            if (gathering && WAITING.contains(method.getName())) {
                throw new IllegalStateException(
                        "The block has waited for an answer, and nothing was sent: commands are sent when the block has"
                                + " ended. Return the future from callInTransaction, or decide in a script");
            }
            return call(answer, method, args);
        });
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
