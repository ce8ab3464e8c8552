package io.outbox.spring.boot.admin;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** For what is there only if the administration is served by one of some servers. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnAdminPort.class)
@interface ConditionalOnAdminPort {

    AdminPort[] value();
}
