package io.outbox.spring.boot.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;

class TransactionManagerChoiceTest {

    private final DataSource dataSource = mock(DataSource.class);
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    private PlatformTransactionManager choose(PlatformTransactionManager... managers) {
        for (int i = 0; i < managers.length; i++) {
            beans.registerSingleton("manager" + i, managers[i]);
        }
        return new TransactionManagerChoice(beans).of(dataSource);
    }

    @Test
    void isTheOneForTheDataSource() {
        PlatformTransactionManager fitting =
                new DataSourceTransactionManager(new TransactionAwareDataSourceProxy(dataSource));
        assertThat(choose(new DataSourceTransactionManager(mock(DataSource.class)), fitting))
                .isSameAs(fitting);
    }

    @Test
    void isTheOnlyOneIfItDoesNotSayWhatItIsFor() {
        PlatformTransactionManager silent = mock(PlatformTransactionManager.class);
        assertThat(choose(silent)).isSameAs(silent);
    }

    @Test
    void isNotOneForAnotherDataSource() {
        assertThatThrownBy(() -> choose(new DataSourceTransactionManager(mock(DataSource.class))))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("there is no transaction manager for its DataSource");
    }
}
