package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** The rules that hold between the keys of an outbox whenever no script runs. */
final class Layout {

    private static final String FAULTS = """
            local prefix, faults = KEYS[1], {}
            local function fault(what) faults[#faults + 1] = what end
            local function score(key, member) return tonumber(redis.call('ZSCORE', prefix .. key, member) or nil) end
            local total, per_type, dead_of = {free = 0, held = 0, done = 0, dead = 0}, {}, {}
            local ordered, parked, keylocks, keyed_types = 0, 0, 0, {}
            local function check_ordered(id, due, type, owner, key, number)
              local member = key .. '\\0' .. string.format('%016.0f', number) .. id
              ordered = ordered + 1
              keyed_types[type] = true
              if score('order', member) ~= 0 then fault('order: ' .. id) end
              if score('keyed:' .. type, member) ~= due then fault('due time in order: ' .. id) end
              if (score('keylocks:' .. type, member) ~= nil) ~= (owner ~= nil) then fault('lock in order: ' .. id) end
              if owner then keylocks = keylocks + 1 end
              if due >= 7258118400000000 then
                parked = parked + 1
                if score('parked', member) ~= due then fault('parked: ' .. id) end
              end
              if redis.call('SISMEMBER', prefix .. 'keyedtypes', type) == 0 then fault('type of order: ' .. id) end
              if number > tonumber(redis.call('GET', prefix .. 'number') or 0) then fault('number: ' .. id) end
            end
            local all = redis.call('HGETALL', prefix .. 'event')
            for i = 1, #all, 2 do
              local id = all[i]
              local created, due, status, attempts, type, ended, _, owner, key, number = cmsgpack.unpack(all[i + 1])
              local member, place = created .. id, nil
              if redis.call('HEXISTS', prefix .. 'body', id) == 0 then fault('no body: ' .. id) end
              if status == 1 then
                place = 'done'
                if score('done', id) ~= ended then fault('end: ' .. id) end
              elseif status == 3 then
                place = 'dead'
                dead_of[type] = (dead_of[type] or 0) + 1
                if not score('dead', member) then fault('not among the dead: ' .. id) end
              elseif key then
                check_ordered(id, due, type, owner, key, number)
              else
                place = owner and 'held' or 'free'
                per_type[type] = true
                if score(place .. ':' .. type, member) ~= due then fault('due time: ' .. id) end
                if (score('locks:' .. type, member) ~= nil) ~= (owner ~= nil) then fault('lock: ' .. id) end
                if redis.call('SISMEMBER', prefix .. 'types', type) == 0 then fault('type: ' .. id) end
              end
              if place then total[place] = total[place] + 1 end
            end
            local free, held, locks = 0, 0, 0
            for type in pairs(per_type) do
              free = free + redis.call('ZCARD', prefix .. 'free:' .. type)
              held = held + redis.call('ZCARD', prefix .. 'held:' .. type)
              locks = locks + redis.call('ZCARD', prefix .. 'locks:' .. type)
            end
            for type, count in pairs(dead_of) do
              if redis.call('HGET', prefix .. 'deadcount', type) ~= tostring(count) then fault('dead of ' .. type) end
            end
            for _, type in ipairs(redis.call('SMEMBERS', prefix .. 'types')) do
              if not per_type[type] then fault('type without events: ' .. type) end
            end
            if free ~= total.free or held ~= total.held or locks ~= total.held then fault('strangers are pending') end
            local of_types, locks_of_types = 0, 0
            for _, type in ipairs(redis.call('SMEMBERS', prefix .. 'keyedtypes')) do
              if not keyed_types[type] then fault('type without events in order: ' .. type) end
              of_types = of_types + redis.call('ZCARD', prefix .. 'keyed:' .. type)
              locks_of_types = locks_of_types + redis.call('ZCARD', prefix .. 'keylocks:' .. type)
            end
            if redis.call('ZCARD', prefix .. 'order') ~= ordered or of_types ~= ordered then fault('strangers in order') end
            if locks_of_types ~= keylocks then fault('strangers are held in order') end
            if redis.call('ZCARD', prefix .. 'parked') ~= parked then fault('strangers are parked') end
            if redis.call('ZCARD', prefix .. 'done') ~= total.done then fault('strangers are done') end
            if redis.call('ZCARD', prefix .. 'dead') ~= total.dead then fault('strangers are dead') end
            if redis.call('HLEN', prefix .. 'body') ~= #all / 2 then fault('bodies without events') end
            return faults
            """;

    private final List<Object> faults;

    private Layout(List<Object> faults) {
        this.faults = faults;
    }

    static Layout of(RedisCommands<String, String> commands, String name) {
        return new Layout(commands.eval(FAULTS, ScriptOutputType.MULTI, new String[] {"{" + name + "}:outbox:"}));
    }

    void assertConsistent() {
        assertThat(faults).as("faults of the layout").isEmpty();
    }
}
