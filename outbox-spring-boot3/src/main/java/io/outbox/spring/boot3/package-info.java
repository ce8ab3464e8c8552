/** Implementations of Spring Boot 3 types that Spring Boot 4 has moved. Used by the starter; not for applications. */
@NullMarked
package io.outbox.spring.boot3;

import org.jspecify.annotations.NullMarked;
