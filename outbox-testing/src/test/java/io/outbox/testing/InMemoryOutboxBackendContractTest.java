package io.outbox.testing;

class InMemoryOutboxBackendContractTest extends OutboxBackendContract {

    @Override
    protected EngineUnderTest createEngine() {
        return InMemoryEngine.onManualTime();
    }
}
