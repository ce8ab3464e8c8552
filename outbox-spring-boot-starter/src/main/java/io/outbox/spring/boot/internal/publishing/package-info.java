/** Publishing what a method returns. Internal: not for applications. */
package io.outbox.spring.boot.internal.publishing;
