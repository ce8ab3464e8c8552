/**
 * The outbox in a relational database, assembled from a data source, and the helpers that its parts share. Begin with
 * {@link io.outbox.jdbc.JdbcOutbox}.
 */
package io.outbox.jdbc;
