package io.outbox.spring.boot.internal.failures;

import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** The DataSources that the outbox could be in, where it is not clear which one is meant. */
public record SeveralDataSources(List<String> candidates) {

    /** Returns the DataSources of the application, be they several or not. */
    public static SeveralDataSources of(ListableBeanFactory beans) {
        return new SeveralDataSources(
                Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true, false))
                        .filter(name -> !ScopedProxyUtils.isScopedTarget(name))
                        .toList());
    }

    public boolean areSeveral() {
        return candidates.size() > 1;
    }

    public String problem() {
        return "there are several DataSources, " + candidates + ", and none is chosen for the outbox";
    }

    public String remedy() {
        return "Mark one of them with @OutboxDataSource or @Primary; or define an outbox for each, as a bean that"
                + " OutboxFactory.create(name, dataSource) makes; or set outbox.enabled=false if this application has no"
                + " outbox";
    }
}
