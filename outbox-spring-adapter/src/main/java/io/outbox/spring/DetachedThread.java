package io.outbox.spring;

import static org.springframework.transaction.support.TransactionSynchronizationManager.bindResource;
import static org.springframework.transaction.support.TransactionSynchronizationManager.getResourceMap;
import static org.springframework.transaction.support.TransactionSynchronizationManager.unbindResourceIfPossible;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs work as if the calling thread were in no transaction.
 *
 * <p>A completed transaction stays bound to its thread until all callbacks have run; data access in a callback, and
 * even a new transaction with propagation REQUIRED, would join it and never be committed. So all of it is put aside
 * meanwhile, and put back for Spring to clean up.
 */
final class DetachedThread {

    private DetachedThread() {}

    static void run(Runnable work) {
        Map<Object, Object> resources = new HashMap<>(getResourceMap());
        boolean active = TransactionSynchronizationManager.isActualTransactionActive();
        boolean readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        resources.keySet().forEach(TransactionSynchronizationManager::unbindResourceIfPossible);
        describe(false, false, null, null);
        try {
            work.run();
        } finally {
            describe(active, readOnly, isolation, name);
            resources.forEach((key, value) -> {
                unbindResourceIfPossible(key);
                bindResource(key, value);
            });
        }
    }

    private static void describe(boolean active, boolean readOnly, @Nullable Integer isolation, @Nullable String name) {
        TransactionSynchronizationManager.setActualTransactionActive(active);
        TransactionSynchronizationManager.setCurrentTransactionReadOnly(readOnly);
        TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(isolation);
        TransactionSynchronizationManager.setCurrentTransactionName(name);
    }
}
