package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.OutboxPublish;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Publishes what a method with {@link OutboxPublish} returns. Its beans are looked up when it is first needed. */
final class OutboxPublishInterceptor implements MethodInterceptor {

    private final ConfigurableListableBeanFactory beans;
    private final Function<MethodInvocation, Publication> publications;

    OutboxPublishInterceptor(
            ConfigurableListableBeanFactory beans, Function<MethodInvocation, Publication> publications) {
        this.beans = beans;
        this.publications = publications;
    }

    @Override
    public Object invoke(MethodInvocation invocation) throws Throwable {
        Publication publication = publications.apply(invocation);
        OutboxPublisher publisher = publication.outbox().isEmpty()
                ? beans.getBeanProvider(OutboxPublisher.class).getIfAvailable()
                : beans.getBean(OutboxFactory.class).get(publication.outbox()).publisher();
        if (publisher == null) {
            throw new IllegalStateException(
                    "@OutboxPublish on " + described(invocation.getMethod())
                            + ": there is no OutboxPublisher bean; it is missing if outbox.publisher.enabled is false, or if"
                            + " there is not exactly one OutboxWriter. With several outboxes, choose one: @OutboxPublish(outbox = …)");
        }
        requireTransaction();
        Object result = invocation.proceed();
        publication.publish(
                publisher,
                new Publication.Call(
                        invocation.getThis(), invocation.getArguments(), result, new BeanFactoryResolver(beans)));
        return result;
    }

    /** Fails before the method has done anything that no transaction could undo. */
    private void requireTransaction() {
        OutboxBackend backend = backendInUse();
        if (backend == null) {
            if (!TransactionSynchronizationManager.isActualTransactionActive()) {
                throw new IllegalStateException("No active transaction: @OutboxPublish needs one, such as that of"
                        + " @Transactional on the same method");
            }
        } else if (backend.requiresActiveTransaction() && !backend.isTransactionActive()) {
            throw new IllegalStateException(backend.noTransactionReason());
        }
    }

    /**
     * Returns the engine of the publisher's outbox, or {@code null} if it is no bean, as with those of
     * {@link OutboxFactory}. The lazy one of the auto-configuration, if nobody has asked for it, belongs to no outbox.
     */
    private OutboxBackend backendInUse() {
        List<String> names = Arrays.stream(beans.getBeanNamesForType(OutboxBackend.class))
                .filter(beans::containsSingleton)
                .toList();
        return names.size() == 1 ? beans.getBean(names.get(0), OutboxBackend.class) : null;
    }

    private static String described(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }
}
