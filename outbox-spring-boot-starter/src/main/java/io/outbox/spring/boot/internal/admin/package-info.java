/** The administration over HTTP in a Spring Boot application. */
package io.outbox.spring.boot.internal.admin;
