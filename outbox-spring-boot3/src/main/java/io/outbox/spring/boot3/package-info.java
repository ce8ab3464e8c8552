/** Implementations of Spring Boot 3 types that Spring Boot 4 has moved. Used by the starter; not for applications. */
package io.outbox.spring.boot3;
