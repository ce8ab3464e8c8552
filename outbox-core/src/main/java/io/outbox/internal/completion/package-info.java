/**
 * How outcomes become durable and events are given back. Begin with
 * {@link io.outbox.internal.completion.CompletionWriter}.
 */
package io.outbox.internal.completion;
