package io.outbox.support;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/** A business transaction on a store that the test begins and ends, on one thread. */
public final class ManualTransaction implements TxContext {

    private final FiveMethodStore store;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();
    private Connection connection;
    private int registrations;
    private RuntimeException registrationFailure;

    public ManualTransaction(FiveMethodStore store) {
        this.store = store;
    }

    public ManualTransaction begin() {
        connection = CountedConnections.inert();
        return this;
    }

    public void commit() {
        store.commit(connection);
        end(afterCommit);
    }

    public void rollback() {
        store.rollback(connection);
        end(afterRollback);
    }

    private void end(List<Runnable> callbacks) {
        List<Runnable> due = List.copyOf(callbacks);
        afterCommit.clear();
        afterRollback.clear();
        connection = null;
        due.forEach(Runnable::run);
    }

    /** Makes registration of callbacks fail. */
    public void failRegistration(RuntimeException failure) {
        registrationFailure = failure;
    }

    public int commitCallbacks() {
        return afterCommit.size();
    }

    public int rollbackCallbacks() {
        return afterRollback.size();
    }

    public int registrations() {
        return registrations;
    }

    @Override
    public boolean isTransactionActive() {
        return connection != null;
    }

    @Override
    public Connection currentConnection() {
        return connection;
    }

    @Override
    public void afterCommit(Runnable callback) {
        register(afterCommit, callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        register(afterRollback, callback);
    }

    private void register(List<Runnable> callbacks, Runnable callback) {
        if (registrationFailure != null) {
            throw registrationFailure;
        }
        registrations++;
        callbacks.add(callback);
    }
}
