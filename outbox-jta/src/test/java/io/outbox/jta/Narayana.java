package io.outbox.jta;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The transaction manager of the tests. Its settings and its log are those of the JVM, so there is one for all tests.
 */
final class Narayana {

    private static final String NODE = "1";

    static final TransactionManager TRANSACTIONS;
    static final TransactionSynchronizationRegistry REGISTRY;

    static {
        try {
            Path log = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "narayana");
            BeanPopulator.getDefaultInstance(CoreEnvironmentBean.class).setNodeIdentifier(NODE);
            for (String store : new String[] {null, "communicationStore", "stateStore"}) {
                ObjectStoreEnvironmentBean settings = store == null
                        ? BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)
                        : BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store);
                settings.setObjectStoreDir(log.toString());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException e) {
            throw new IllegalStateException(e);
        }
        BeanPopulator.getDefaultInstance(JTAEnvironmentBean.class).setXaRecoveryNodes(List.of(NODE));
        RecoveryEnvironmentBean recovery = BeanPopulator.getDefaultInstance(RecoveryEnvironmentBean.class);
        recovery.setRecoveryListener(false);
        recovery.setRecoveryBackoffPeriod(1);
        recovery.setExpiryScannerClassNames(List.of());
        recovery.setRecoveryModuleClassNames(
                List.of(AtomicActionRecoveryModule.class.getName(), XARecoveryModule.class.getName()));
        TRANSACTIONS = com.arjuna.ats.jta.TransactionManager.transactionManager();
        REGISTRY = new TransactionSynchronizationRegistryImple();
    }

    private Narayana() {}

    /**
     * Returns the recovery, which finishes what was decided and not done everywhere; its passes are made by the caller.
     */
    static RecoveryManager recovery(XAResourceRecoveryHelper resources) {
        RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        recovery.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(resources);
        return recovery;
    }
}
