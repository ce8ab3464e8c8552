/** Tests of Spring Boot applications that write and deliver events: manual delivery, a clock and assertions. */
@NullMarked
package io.outbox.spring.boot.test;

import org.jspecify.annotations.NullMarked;
