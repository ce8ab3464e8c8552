package io.outbox.spring.boot.publishing;

import io.outbox.spring.boot.OutboxPublish;
import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/** Keeps what methods with {@link OutboxPublish} may publish in a native image. */
final class PublishedHints implements BeanRegistrationAotProcessor {

    private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

    @Override
    public BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Set<Method> publishing =
                OutboxPublishPostProcessor.methods(bean.getBeanClass()).keySet();
        return publishing.isEmpty()
                ? null
                : (context, code) -> publishing.forEach(
                        method -> keep(context.getRuntimeHints().reflection(), method));
    }

    /** An expression can make the payload from the parameters as well as from the result. */
    private static void keep(ReflectionHints hints, Method method) {
        BINDING.registerReflectionHints(hints, method.getGenericReturnType());
        BINDING.registerReflectionHints(hints, method.getGenericParameterTypes());
    }
}
