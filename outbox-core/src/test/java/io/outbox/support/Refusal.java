package io.outbox.support;

import io.outbox.spi.OutboxBackendException;

/** The answer of a store that does not take the values it was given. */
public final class Refusal extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    public Refusal(String message) {
        super(message);
    }

    @Override
    public boolean isRefusal() {
        return true;
    }
}
