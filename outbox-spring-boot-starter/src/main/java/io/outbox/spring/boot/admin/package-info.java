/**
 * The administration over HTTP in a Spring Boot application. Begin with {@link
 * io.outbox.spring.boot.admin.OutboxAdminAutoConfiguration}.
 */
package io.outbox.spring.boot.admin;
