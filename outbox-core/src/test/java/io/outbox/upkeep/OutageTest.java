package io.outbox.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.support.LogLines;
import java.io.IOException;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final System.Logger LOG = System.getLogger(OutageTest.class.getName());

    private final LogLines log = new LogLines();
    private final Outage outage =
            new Outage(LOG, System.Logger.Level.ERROR, "It fails; it is tried again", "It works again");

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void isLoudOnceAndSaysWhenItIsOver() {
        outage.over();
        for (int outages = 1; outages <= 2; outages++) {
            outage.failed(new IOException("down"));
            outage.failed(new IOException("still down"));
            outage.failed("It fails in another way", new IOException("still down"));
            outage.over();
            outage.over();

            assertThat(log.at(Level.SEVERE, "It fails; it is tried again")).hasSize(outages);
            assertThat(log.at(Level.INFO, "It works again")).hasSize(outages);
        }
        assertThat(log.at(Level.SEVERE, "in another way")).isEmpty();
        assertThat(log.thrown("It fails; it is tried again")).hasMessage("down");
    }

    @Test
    void aFaultWithoutANoticedEndIsLoudOnlyOnce() {
        Outage endless = new Outage(LOG, "It fails");

        for (int i = 0; i < 3; i++) {
            endless.failed(new IOException("down"));
            endless.over();
        }

        assertThat(log.at(Level.WARNING, "It fails")).hasSize(1);
    }
}
