/** Auto-configuration of the outbox for Spring Boot 4 and 3.5. */
package io.outbox.spring.boot;
