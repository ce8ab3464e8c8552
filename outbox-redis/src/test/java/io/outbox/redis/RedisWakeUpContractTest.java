package io.outbox.redis;

import io.outbox.spi.WakeUp;
import io.outbox.testing.contract.WakeUpRules;
import org.junit.jupiter.api.AfterEach;

class RedisWakeUpContractTest extends WakeUpRules {

    private final String name = Redis.newName();
    private final RedisOutbox listening = Redis.connect(Redis.uri(Redis.server()), name);
    private final RedisOutbox sending = Redis.connect(Redis.uri(Redis.server()), name);

    @AfterEach
    void disconnect() {
        listening.close();
        sending.close();
    }

    @Override
    protected WakeUp listening() {
        return listening.wakeUp();
    }

    @Override
    protected WakeUp sending() {
        return sending.wakeUp();
    }
}
