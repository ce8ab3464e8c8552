/** Where events go at a broker, by settings and by the application's router. Internal: not for applications. */
package io.outbox.spring.boot.internal.routing;
