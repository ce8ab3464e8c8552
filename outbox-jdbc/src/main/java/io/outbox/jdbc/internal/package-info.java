/**
 * Machinery that stores, purgers and the schema share; no part of the API. Begin with
 * {@link io.outbox.jdbc.Repetition}.
 */
package io.outbox.jdbc.internal;
