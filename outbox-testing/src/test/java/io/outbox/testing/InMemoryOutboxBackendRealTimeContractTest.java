package io.outbox.testing;

/** Shows that the contract also holds, and can be told, in real time. */
class InMemoryOutboxBackendRealTimeContractTest extends OutboxBackendContract {

    @Override
    protected EngineUnderTest createEngine() {
        return InMemoryEngine.onSystemTime();
    }
}
