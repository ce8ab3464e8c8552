/**
 * Administration of an outbox over HTTP. Begin with {@link io.outbox.admin.OutboxAdmin}, which answers requests of any
 * server, and {@link io.outbox.admin.OutboxAdminServer}, which is one.
 */
package io.outbox.admin;
