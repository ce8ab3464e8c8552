/** What idempotent listeners of all brokers have in common. Internal: not for applications. */
package io.outbox.spring.boot.internal.consuming;
