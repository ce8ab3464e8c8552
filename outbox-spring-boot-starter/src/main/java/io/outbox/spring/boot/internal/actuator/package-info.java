/** The health indicator, the actuator endpoint and the gauges of events. Internal: not for applications. */
package io.outbox.spring.boot.internal.actuator;
