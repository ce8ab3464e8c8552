/** The idempotent consumer in the application's transactions. Internal: not for applications. */
package io.outbox.spring.boot.internal.inbox;
