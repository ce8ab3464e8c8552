/**
 * How an outbox is put together from settings and beans, and delivers while the application runs. Internal: not for
 * applications.
 */
package io.outbox.spring.boot.internal.delivery;
