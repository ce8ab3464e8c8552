package io.outbox.spring.boot;

import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The bean that registers the {@link OutboxListener} methods and beans and the {@link BoundEventListener} beans once
 * all beans are there, which is before delivery starts. A listener that cannot be registered ends the start of the
 * application; so does an {@link EventListener} bean that nobody would ever call.
 */
public interface OutboxListenerRegistrar extends SmartInitializingSingleton {}
