/** What the Kafka sender shares with the Spring Boot starter; not for applications. */
package io.outbox.kafka.internal;
