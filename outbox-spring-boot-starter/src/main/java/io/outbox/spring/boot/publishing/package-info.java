/**
 * {@code OutboxPublisher}, and what publishes by annotations. Begin with {@link
 * io.outbox.spring.boot.publishing.OutboxPublisherAutoConfiguration}.
 */
package io.outbox.spring.boot.publishing;
