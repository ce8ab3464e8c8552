package io.outbox.spring.boot.internal.listeners;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/** A method, and the bean to call it on, which may be another one at each call. */
record BeanMethod(BeanFactory beans, String beanName, Method method) {

    /**
     * @throws IllegalStateException if it cannot be called through the bean's proxy, as far as that is known already
     */
    static BeanMethod checked(BeanFactory beans, String beanName, Method method) {
        BeanMethod call = new BeanMethod(beans, beanName, method);
        Class<?> type = beans.getType(beanName);
        if (type != null) {
            call.invocableOn(type);
        }
        return call;
    }

    /** Calls the method; what it throws comes as it was thrown. */
    Object call(Object... arguments) throws Exception {
        Object bean = beans.getBean(beanName);
        try {
            return invocableOn(bean.getClass()).invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception exception ? exception : e;
        }
    }

    /**
     * Returns the method to call on a bean of this class, which may be a proxy.
     *
     * @throws IllegalStateException if the proxy does not have it
     */
    Method invocableOn(Class<?> type) {
        Method invocable = AopUtils.selectInvocableMethod(method, type);
        if (Modifier.isFinal(invocable.getModifiers()) && SpringProxy.class.isAssignableFrom(type)) {
            throw new IllegalStateException(
                    "the method must not be final, since the bean is behind a proxy, which would"
                            + " not pass the call on");
        }
        invocable.trySetAccessible();
        return invocable;
    }

    boolean returnsNothing() {
        return method.getReturnType() == void.class;
    }

    @Override
    public String toString() {
        return beanName + "." + method.getName();
    }
}
