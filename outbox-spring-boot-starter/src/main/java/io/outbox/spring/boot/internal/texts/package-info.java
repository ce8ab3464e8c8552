/** The event types that follow from the classes of payloads, for whoever publishes and whoever listens. Internal: not for applications. */
package io.outbox.spring.boot.internal.texts;
