/** What applications that are processed ahead of time have to keep. Internal: not for applications. */
package io.outbox.spring.boot.internal.aot;
