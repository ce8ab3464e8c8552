package io.outbox.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A look into the keys of an outbox. */
final class StoredEvents {

    private static final String FIND = """
            local packed = redis.call('HGET', KEYS[1] .. 'event', ARGV[1])
            if not packed then return false end
            local function text(number) return number and string.format('%.0f', number) or false end
            local created, due, status, attempts, type, ended, err, owner, key, number = cmsgpack.unpack(packed)
            local locked = redis.call('ZSCORE', KEYS[1] .. 'locks:' .. type, created .. ARGV[1])
            if key then
              local member = key .. '\\0' .. string.format('%016.0f', number) .. ARGV[1]
              locked = redis.call('ZSCORE', KEYS[1] .. 'keylocks:' .. type, member)
            end
            return {created, text(due), status, attempts, type, owner or false, text(ended), err or false, locked,
                redis.call('HGET', KEYS[1] .. 'body', ARGV[1])}
            """;

    private StoredEvents() {}

    static Optional<StoredEvent> find(RedisCommands<String, String> commands, String name, String eventId) {
        List<Object> found =
                commands.eval(FIND, ScriptOutputType.MULTI, new String[] {"{" + name + "}:outbox:"}, eventId);
        if (found.size() < 10) {
            return Optional.empty();
        }
        EventBody body = EventBody.decode((String) found.get(9));
        OutboxEvent event = new OutboxEvent(
                eventId,
                (String) found.get(4),
                body.aggregateType(),
                body.aggregateId(),
                body.tenantId(),
                body.payload(),
                body.headers(),
                ((Long) found.get(3)).intValue(),
                Micros.fromSortable((String) found.get(0)),
                Micros.instant((String) found.get(1)));
        return Optional.of(new StoredEvent(
                event,
                EventStatus.fromCode(((Long) found.get(2)).intValue()),
                time(found.get(6)),
                (String) found.get(7),
                (String) found.get(5),
                time(found.get(8))));
    }

    private static Instant time(Object micros) {
        return micros == null ? null : Micros.instant((String) micros);
    }
}
