package io.outbox.spring.boot;

import io.outbox.EventListener;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.LanePolicy;
import org.springframework.context.annotation.Bean;

/** Configuration with a lane for events of type "Sent", whose target cannot be reached. */
class UnreachableTarget {

    @Bean
    @OutboxListener(eventType = "Sent")
    EventListener sent() {
        return event -> {
            throw new RouteUnavailableException("the broker is down");
        };
    }

    @Bean
    OutboxCustomizer lane() {
        return builder -> builder.lane("Sent", LanePolicy.builder().build());
    }
}
