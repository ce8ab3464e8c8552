package io.outbox.soak.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.Begun;
import io.outbox.soak.ledger.Entry.Ended;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.Entry.Ready;
import io.outbox.soak.ledger.Entry.Skipped;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.Entry.Writing;
import io.outbox.soak.ledger.Entry.Written;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");

    @TempDir
    private Path directory;

    @Test
    void whatIsAppendedCanBeReadAtOnce() throws IOException {
        List<Entry> entries = List.of(
                new Ready(),
                new Writing("1", EventKind.SLOW, NOW),
                new Keyed("1", "key", 3),
                new Written("1", TransactionEnd.COMMITTED, NOW.plusMillis(5)),
                new Begun(7, "1", NOW),
                new Ended(7, NOW.plusSeconds(1), Answer.DONE),
                new Skipped("2", NOW));
        Path path = directory.resolve("ledger");

        try (Ledger ledger = Ledger.open(path)) {
            entries.forEach(ledger::append);

            assertThat(Ledger.read(path)).isEqualTo(entries);
        }
    }

    @Test
    void aLineThatWasNeverFinishedDoesNotCount() throws IOException {
        Path path = directory.resolve("ledger");
        try (Ledger ledger = Ledger.open(path)) {
            ledger.append(new Ready());
        }
        Files.writeString(path, "begun 1 01", StandardOpenOption.APPEND);

        assertThat(Ledger.read(path)).containsExactly(new Ready());
    }

    @Test
    void aNodeThatHasNotNotedAnythingYetHasNoEntries() {
        assertThat(Ledger.read(directory.resolve("none"))).isEmpty();
    }
}
