/**
 * The health indicator and the actuator endpoint. Begin with {@link
 * io.outbox.spring.boot.actuator.OutboxActuatorAutoConfiguration}.
 */
package io.outbox.spring.boot.actuator;
