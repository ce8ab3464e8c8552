/** What the application has set, checked and decided once. Internal: not for applications. */
package io.outbox.spring.boot.internal.settings;
