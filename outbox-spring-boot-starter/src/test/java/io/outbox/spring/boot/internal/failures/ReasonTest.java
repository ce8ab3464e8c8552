package io.outbox.spring.boot.internal.failures;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReasonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "No suitable driver found for jdbc:shop://db/orders?user=me&password=s3cret&ssl=true",
                "Cannot open jdbc:h2:tcp://db/orders;USER=me;PASSWORD=s3cret;IFEXISTS=TRUE",
                "Cannot connect to shop://me:s3cret@db/orders",
                "Refused: Password: s3cret"
            })
    void hasNoCredentials(String message) {
        assertThat(Reason.of(new IllegalStateException(message)))
                .contains("***")
                .doesNotContain("s3cret");
    }

    @Test
    void isWhatTheDatabaseSaysInOneLine() {
        Exception failure = new OutboxStoreException(
                "Cannot count events", new SQLException("Connection refused:\n\tdb:5432", "08001"));

        assertThat(Reason.of(failure)).isEqualTo("Connection refused: db:5432");
    }

    @Test
    void isTheKindOfAFailureThatSaysNothing() {
        assertThat(Reason.of(new IllegalStateException())).isEqualTo("IllegalStateException");
    }
}
