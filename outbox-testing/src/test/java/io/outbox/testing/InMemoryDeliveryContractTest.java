package io.outbox.testing;

class InMemoryDeliveryContractTest extends DeliveryContract {

    @Override
    protected EngineUnderTest createEngine() {
        return InMemoryEngine.onSystemTime();
    }
}
