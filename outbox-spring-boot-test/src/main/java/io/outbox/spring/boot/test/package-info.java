/** Tests of Spring Boot applications that write and deliver events: manual delivery, a clock and assertions. */
package io.outbox.spring.boot.test;
