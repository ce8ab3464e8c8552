package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.EventEnvelope;
import io.outbox.support.Events;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventInterceptorTest {

    private final EventEnvelope event = Events.event("e");
    private final List<String> calls = new ArrayList<>();

    @Test
    void aBeforeInterceptorActsOnlyBefore() throws Exception {
        EventInterceptor interceptor = EventInterceptor.before(seen -> calls.add(seen.eventId()));

        interceptor.beforeDispatch(event);
        interceptor.afterDispatch(event, null);

        assertThat(calls).containsExactly("e");
    }

    @Test
    void anAfterInterceptorActsOnlyAfter() throws Exception {
        EventInterceptor interceptor = EventInterceptor.after((seen, error) -> calls.add(seen.eventId() + " " + error));

        interceptor.beforeDispatch(event);
        interceptor.afterDispatch(event, null);

        assertThat(calls).containsExactly("e null");
    }

    @Test
    void aBeforeInterceptorMayThrowCheckedExceptions() {
        EventInterceptor interceptor = EventInterceptor.before(seen -> {
            throw new IOException("x");
        });

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> interceptor.beforeDispatch(event));
    }

    @Test
    void needsAHook() {
        assertThatNullPointerException()
                .isThrownBy(() -> EventInterceptor.before(null))
                .withMessageContaining("hook");
        assertThatNullPointerException()
                .isThrownBy(() -> EventInterceptor.after(null))
                .withMessageContaining("hook");
    }
}
