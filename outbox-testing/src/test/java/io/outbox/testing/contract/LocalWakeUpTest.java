package io.outbox.testing.contract;

import io.outbox.spi.LocalWakeUp;
import io.outbox.spi.WakeUp;

class LocalWakeUpTest extends WakeUpRules {

    private final LocalWakeUp wakeUp = new LocalWakeUp();

    @Override
    protected WakeUp listening() {
        return wakeUp;
    }

    @Override
    protected WakeUp sending() {
        return wakeUp;
    }

    @Override
    protected boolean isDebounced() {
        return false;
    }
}
