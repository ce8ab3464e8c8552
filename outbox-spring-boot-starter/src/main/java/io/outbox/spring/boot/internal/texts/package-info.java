/**
 * What follows from classes, for all who publish or listen: event types, and whether the class is the application's.
 * Internal: not for applications.
 */
package io.outbox.spring.boot.internal.texts;
