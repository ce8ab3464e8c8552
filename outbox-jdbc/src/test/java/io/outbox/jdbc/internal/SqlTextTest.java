package io.outbox.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {

    @ParameterizedTest
    @CsvSource({
        "2026-11-18 09:30:00, 2026-11-18T09:30:00Z",
        "2026-11-18 09:30:00.25, 2026-11-18T09:30:00.250Z",
        "2026-11-18 09:30:00.000001, 2026-11-18T09:30:00.000001Z",
        "2024-02-29 23:59:59.999999, 2024-02-29T23:59:59.999999Z",
        "2100-03-01 00:00:00, 2100-03-01T00:00:00Z",
        "1969-12-31 23:59:59.5, 1969-12-31T23:59:59.500Z",
        "1000-01-01 00:00:00, 1000-01-01T00:00:00Z",
        "9999-12-31 23:59:59.999999, 9999-12-31T23:59:59.999999Z"
    })
    void readsWhatDatabasesWrite(String text, Instant time) {
        assertThat(SqlText.instant(text)).isEqualTo(time);
    }

    @Test
    void readsEveryTimeAsTheDriverDoes() {
        Random random = new Random(7);
        long first = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
        long last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
        for (int i = 0; i < 20_000; i++) {
            long second = first + (long) (random.nextDouble() * (last - first));
            LocalDateTime time = LocalDateTime.ofEpochSecond(second, random.nextInt(1_000_000) * 1000, ZoneOffset.UTC);
            // its text is that of SQL, without zeros at the end of a fraction
            String text = Timestamp.valueOf(time).toLocalDateTime().equals(time)
                    ? Timestamp.valueOf(time).toString().replaceFirst("\\.0$", "")
                    : time.toString().replace('T', ' ');
            assertThat(SqlText.instant(text)).as(text).isEqualTo(time.toInstant(ZoneOffset.UTC));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "infinity",
                "-infinity",
                "2026-11-18",
                "2026-11-18 09:30",
                "2026-11-18 09:30:00.",
                "2026-11-18 09:30:00.1234567",
                "2026-11-18 09:30:00+00",
                "2026-11-18T09:30:00",
                "18.11.2026 09:30:00",
                "2026-11-18 09:30:0x",
                "12026-11-18 09:30:00",
                "2026-11-18 09:30:00 BC"
            })
    void leavesOtherFormsToTheDriver(String text) {
        assertThat(SqlText.instant(text)).isNull();
    }
}
