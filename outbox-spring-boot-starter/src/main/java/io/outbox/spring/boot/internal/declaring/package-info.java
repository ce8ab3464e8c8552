/** How properties declare their settings. Internal: not for applications. */
package io.outbox.spring.boot.internal.declaring;
