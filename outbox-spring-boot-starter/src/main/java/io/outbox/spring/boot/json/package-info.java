/** The codec for payloads. Begin with {@link io.outbox.spring.boot.json.OutboxJsonAutoConfiguration}. */
package io.outbox.spring.boot.json;
