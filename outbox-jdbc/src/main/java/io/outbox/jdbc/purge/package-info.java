/**
 * Deletion of what is finished or old, one class for each family of databases. Begin with
 * {@link io.outbox.jdbc.purge.AbstractJdbcEventPurger}.
 */
package io.outbox.jdbc.purge;
