/**
 * Spring Modulith's events, stored and delivered by the outbox. Begin with {@link
 * io.outbox.spring.boot.modulith.OutboxModulithAutoConfiguration}.
 */
package io.outbox.spring.boot.modulith;
