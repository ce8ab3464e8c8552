/** Why the application does not start, in words that say what to do about it. Internal: not for applications. */
package io.outbox.spring.boot.internal.failures;
