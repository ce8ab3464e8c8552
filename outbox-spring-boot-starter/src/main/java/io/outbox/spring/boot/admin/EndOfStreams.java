package io.outbox.spring.boot.admin;

import io.outbox.admin.OutboxAdmin;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Ends streams when the application begins to close: a server that shuts down gracefully would wait for them. */
final class EndOfStreams implements ApplicationListener<ContextClosedEvent> {

    private final OutboxAdmin admin;
    private final ApplicationContext context;

    EndOfStreams(OutboxAdmin admin, ApplicationContext context) {
        this.admin = admin;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        // Contexts below this one, as that of a management server, tell of their end, too.
        if (event.getApplicationContext() == context) {
            admin.endStreams();
        }
    }
}
