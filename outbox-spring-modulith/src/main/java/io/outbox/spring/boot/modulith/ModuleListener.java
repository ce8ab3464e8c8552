package io.outbox.spring.boot.modulith;

import io.outbox.EventEnvelope;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AdvisedSupport;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationListenerMethodAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.support.CompletionRegisteringAdvisor;

/**
 * A method with {@link ApplicationModuleListener}. When an event is published, it writes a row for the method, in the
 * publisher's transaction; when the outbox delivers the row, it calls the method.
 *
 * <p>Which events the method takes, and its condition, are Spring's matter. The call goes through the bean's
 * interceptors, so {@code @Transactional} and others apply, but not through that of {@code @Async} and that of the
 * event publication registry: the outbox has its own threads, and an event is done when the method has returned.
 */
final class ModuleListener extends ApplicationListenerMethodAdapter {

    private final String name;
    private final ModulithWriter writer;

    ModuleListener(String beanName, Class<?> type, Method method, ModulithWriter writer) {
        super(beanName, type, method);
        this.name = name(beanName, method);
        this.writer = writer;
    }

    /** Returns the id that the annotation gives, or bean and method. It is stored with events. */
    private static String name(String beanName, Method method) {
        ApplicationModuleListener annotation =
                AnnotatedElementUtils.findMergedAnnotation(method, ApplicationModuleListener.class);
        return annotation == null || annotation.id().isEmpty() ? beanName + "." + method.getName() : annotation.id();
    }

    String name() {
        return name;
    }

    /** Refuses what could not be stored, or would be over before its work is done. */
    void requireServable() {
        if (Stream.of(getTargetMethod().getParameterTypes())
                .anyMatch(type -> type.getName().equals("kotlin.coroutines.Continuation"))) {
            throw new ModulithSetupException(
                    "The module listener '" + name + "' is a suspend function, which returns before its work is done",
                    "Make it a plain function; it may call runBlocking { … }");
        }
        if (name.indexOf('#') >= 0 || name.length() > 100 || name.equals(ExternalizationListener.NAME)) {
            throw new ModulithSetupException(
                    "The module listener '" + name
                            + "' cannot be stored: its name must have at most 100 characters and no #, and"
                            + " not be '" + ExternalizationListener.NAME + "'",
                    "Give it another one with @ApplicationModuleListener(id = …)");
        }
        parameters().filter(ModuleListener::isPublished).forEach(this::requireStorable);
    }

    /** Returns whether events can be of just this class, and not only of its subclasses. */
    private static boolean isPublished(Class<?> type) {
        return !Modifier.isAbstract(type.getModifiers())
                && !type.getPackageName().startsWith("java.");
    }

    private void requireStorable(Class<?> event) {
        try {
            EventEnvelope.ofJson(ModulithWriter.storedType(event, name), "{}");
        } catch (IllegalArgumentException e) {
            throw new ModulithSetupException(
                    "The module listener '" + name + "' cannot be stored for events of " + event + ": "
                            + e.getMessage(),
                    "Give it a shorter name with @ApplicationModuleListener(id = …)");
        }
    }

    /** Writes the event for this method. */
    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof PayloadApplicationEvent<?> published
                && !(published.getPayload() instanceof EventExternalized)
                && shouldHandle(event)) {
            writer.write(published.getPayload(), name);
        }
    }

    /** Rows are written in the publisher's transaction, whatever executor other listeners run on. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    /** Returns whether the method takes objects of this class. */
    boolean takes(Class<?> type) {
        return supportsEventType(ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type));
    }

    /** Returns whether some event could be for this method and for another one. */
    boolean overlaps(ModuleListener other) {
        return parameters()
                .allMatch(mine -> other.parameters()
                        .allMatch(theirs -> mine.isAssignableFrom(theirs) || theirs.isAssignableFrom(mine)));
    }

    private Stream<Class<?>> parameters() {
        return Stream.of(getTargetMethod().getParameterTypes());
    }

    /** Calls the method with the event, and waits for what it returns. */
    void call(Object event) throws Exception {
        Object[] arguments = Objects.requireNonNull(resolveArguments(new PayloadApplicationEvent<>(this, event)));
        Object bean = getTargetBean();
        Object result;
        try {
            result = bean instanceof Advised proxy
                    ? Call.through(proxy, getTargetMethod(), arguments).proceed()
                    : AopUtils.invokeJoinpointUsingReflection(bean, getTargetMethod(), arguments);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        if (result instanceof CompletionStage<?> stage) {
            stage.toCompletableFuture().get();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** A call through the interceptors of a proxy, without those that would take it elsewhere. */
    private static final class Call extends ReflectiveMethodInvocation {

        private Call(Object proxy, TargetSource target, Method method, Object[] arguments, List<Object> interceptors)
                throws Exception {
            super(proxy, target.getTarget(), method, arguments, target.getTargetClass(), interceptors);
        }

        private static Call through(Advised proxy, Method method, Object... arguments) throws Exception {
            AdvisedSupport remaining = new AdvisedSupport();
            remaining.setTargetSource(proxy.getTargetSource());
            Stream.of(proxy.getAdvisors())
                    .filter(advisor -> !(advisor.getAdvice() instanceof AsyncExecutionInterceptor))
                    .filter(advisor -> !(advisor instanceof CompletionRegisteringAdvisor))
                    .forEach(remaining::addAdvisor);
            return new Call(
                    proxy,
                    proxy.getTargetSource(),
                    method,
                    arguments,
                    remaining.getInterceptorsAndDynamicInterceptionAdvice(method, proxy.getTargetClass()));
        }
    }
}
