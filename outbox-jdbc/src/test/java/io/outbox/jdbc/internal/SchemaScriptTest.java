package io.outbox.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** DDL scripts and how they are split into statements. */
class SchemaScriptTest {

    @Test
    void aSemicolonInACommentOrInQuotesEndsNoStatement() {
        assertThat(SchemaScript.split("""
                        -- one; two
                        CREATE TABLE a ( -- three; four
                          b TEXT DEFAULT 'it''s; /* here */ -- so', /* five;
                          six; */ "c;d" INT
                        );

                        ; /* seven; */
                        CREATE INDEX e ON a (b)"""))
                .map(statement -> statement.replaceAll("\\s+", " "))
                .containsExactly(
                        "CREATE TABLE a ( b TEXT DEFAULT 'it''s; /* here */ -- so', \"c;d\" INT )",
                        "CREATE INDEX e ON a (b)");
    }

    static Stream<AbstractJdbcOutboxStore> stores() {
        return JdbcOutboxStores.all().stream();
    }

    /** Migration tools split scripts too, and not all of them look at comments. */
    @ParameterizedTest
    @MethodSource("stores")
    void ourOwnScriptsHaveNoSemicolonInAComment(AbstractJdbcOutboxStore store) throws IOException {
        for (String suffix : List.of("", "-lanes")) {
            try (InputStream in =
                    store.getClass().getResourceAsStream("/schema/" + store.schemaScript() + suffix + ".sql")) {
                String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                assertThat(script.lines().filter(line -> line.matches(".*--.*;.*")))
                        .isEmpty();
                assertThat(script).doesNotContain("/*");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theTableOfTheScriptIsReplaced(AbstractJdbcOutboxStore store) {
        SchemaScript script = new SchemaScript(store.getClass(), store.schemaScript(), "app.events");

        assertThat(Stream.concat(script.table().stream(), script.laneIndex().stream()))
                .anyMatch(statement -> statement.contains("app.events"))
                .noneMatch(statement -> statement.contains("outbox_event"));
    }
}
