/**
 * The versions of payloads, and the way from an old one to today's. Begin with {@link
 * io.outbox.internal.versions.Versions}.
 */
package io.outbox.internal.versions;
