/**
 * Spring Modulith's events, stored and delivered by the outbox. Begin with {@link
 * io.outbox.spring.boot.modulith.OutboxModulithAutoConfiguration}.
 */
@NullMarked
package io.outbox.spring.boot.modulith;

import org.jspecify.annotations.NullMarked;
