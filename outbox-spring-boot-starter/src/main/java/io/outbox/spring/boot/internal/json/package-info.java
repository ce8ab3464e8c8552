/** The codec for payloads. Internal: not for applications. */
package io.outbox.spring.boot.internal.json;
