/** Beans and methods of beans as listeners. Internal: not for applications. */
package io.outbox.spring.boot.internal.listeners;
