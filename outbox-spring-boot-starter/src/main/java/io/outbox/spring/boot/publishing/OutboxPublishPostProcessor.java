package io.outbox.spring.boot.publishing;

import io.outbox.spring.boot.OutboxPublish;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Advises beans that have methods with {@link OutboxPublish}.
 *
 * <p>It works after the processor that makes proxies for {@code @Transactional}, and adds its advice to such a proxy as
 * the innermost one. So the advice runs inside the transaction, whatever the order of the transaction's advice.
 */
final class OutboxPublishPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient Map<Method, Publication> publications = new ConcurrentHashMap<>();
    private transient ConfigurableListableBeanFactory beans;

    OutboxPublishPostProcessor(boolean proxyTargetClass) {
        setProxyTargetClass(proxyTargetClass);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = (ConfigurableListableBeanFactory) beanFactory;
        this.advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, OutboxPublish.class, true),
                new OutboxPublishInterceptor(beans, this::publication));
    }

    /** As usual; and checks every annotated method of the class, so that a mistake shows at start-up. */
    @Override
    protected boolean isEligible(Class<?> targetClass) {
        if (!super.isEligible(targetClass)) {
            return false;
        }
        methods(targetClass)
                .forEach((method, annotation) ->
                        publications.computeIfAbsent(method, key -> publication(key, annotation)));
        return true;
    }

    /** Returns the annotated methods of a class. */
    public static Map<Method, OutboxPublish> methods(Class<?> type) {
        return MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxPublish.class));
    }

    private Publication publication(MethodInvocation invocation) {
        Class<?> targetClass = invocation.getThis() == null
                ? invocation.getMethod().getDeclaringClass()
                : AopUtils.getTargetClass(invocation.getThis());
        return publications.computeIfAbsent(
                AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass),
                method -> publication(method, AnnotatedElementUtils.findMergedAnnotation(method, OutboxPublish.class)));
    }

    private Publication publication(Method method, OutboxPublish annotation) {
        return new Publication(method, annotation, beans::resolveEmbeddedValue);
    }
}
