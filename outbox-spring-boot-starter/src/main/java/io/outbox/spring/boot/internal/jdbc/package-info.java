/** The engine on the application's DataSource and in its transactions. Internal: not for applications. */
package io.outbox.spring.boot.internal.jdbc;
