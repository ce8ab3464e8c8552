package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.oraclestandin.OracleGrammar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateSqlCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts for Oracle as migration tools take them; none of them is run. */
class OracleMigrationTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"outbox", "outbox-lanes", "outbox-admin", "outbox-dlq"})
    void liquibaseSplitsTheScriptsIntoBlocksThatOracleTakes(String changeLog) throws Exception {
        ByteArrayOutputStream sql = new ByteArrayOutputStream();
        new CommandScope(UpdateSqlCommandStep.COMMAND_NAME)
                .addArgumentValue(
                        DbUrlConnectionArgumentsCommandStep.URL_ARG,
                        "offline:oracle?version=19&changeLogFile=" + directory.resolve("changes.csv")
                                + "&outputLiquibaseSql=none")
                .addArgumentValue(UpdateSqlCommandStep.CHANGELOG_FILE_ARG, "schema/liquibase/" + changeLog + ".xml")
                .setOutput(sql)
                .execute();
        List<String> blocks = Stream.of(sql.toString(StandardCharsets.UTF_8).split("(?m)^/\\s*$"))
                .map(block -> block.replaceAll("(?m)^--.*$", "").strip())
                .filter(block -> block.startsWith("BEGIN"))
                .toList();

        assertThat(blocks).isNotEmpty().allSatisfy(block -> {
            assertThat(block).endsWith("END;").containsOnlyOnce("EXECUTE IMMEDIATE");
            assertThat(OracleGrammar.errors(block)).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flyway/oracle/R__outbox_event.sql",
                "flyway-lanes/oracle/R__outbox_event_lanes.sql",
                "flyway-admin/oracle/R__outbox_event_audit.sql",
                "flyway-admin/oracle/R__outbox_event_node.sql",
                "flyway-admin/oracle/R__outbox_event_control.sql",
                "flyway-admin/oracle/R__outbox_event_figures.sql",
                "flyway-dlq/oracle/R__outbox_dlq_event.sql",
                "flyway-dlq/oracle/R__outbox_dlq_event_attempt.sql"
            })
    void flywayFindsTheScriptsAndTheEndOfEachBlock(String script) throws IOException {
        String text = read("/schema/" + script);

        assertThat(text.split("(?m)^BEGIN$")).hasSameSizeAs(text.split("(?m)^END;\n/$"));
    }

    @Test
    void theScriptNamesTheVersion() throws IOException {
        assertThat(read("/schema/oracle.sql")).contains("version " + OutboxSchema.VERSION + ".");
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = OutboxSchema.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
