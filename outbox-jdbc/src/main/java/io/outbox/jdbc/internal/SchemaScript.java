package io.outbox.jdbc.internal;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.TableNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * DDL in the resources of a jar, {@code schema/<name>.sql}, for a table of any name.
 *
 * @param owner a class of the jar
 * @param name the name of the script
 * @param tableName the table, which takes the place of the default one
 */
public record SchemaScript(Class<?> owner, String name, String tableName) {

    private static final String LANES = "-lanes";

    /** Text in quotes, a comment, the end of a statement, or anything else. */
    private static final Pattern TOKEN =
            Pattern.compile("'[^']*'|\"[^\"]*\"|(?<comment>--[^\\n]*|/\\*.*?\\*/)|(?<end>;)|.", Pattern.DOTALL);

    /** Returns the statements that create the table and its indexes. */
    public List<String> table() {
        return statements(resource(""));
    }

    /** Returns the statements that create the index for event types with a lane of their own. */
    public List<String> laneIndex() {
        return statements(resource(LANES));
    }

    /** Returns whether there is a script for the index for event types with a lane of their own. */
    public boolean hasLaneIndex() {
        return owner.getResource(resource(LANES)) != null;
    }

    private String resource(String suffix) {
        return "/schema/" + name + suffix + ".sql";
    }

    private List<String> statements(String resource) {
        int dot = tableName.indexOf('.');
        String script = read(resource)
                .replaceAll("\\b" + TableNames.DEFAULT_TABLE + "_", tableName.substring(dot + 1) + "_")
                .replaceAll("\\b" + TableNames.DEFAULT_TABLE + "\\b", tableName);
        return split(script);
    }

    /** Splits a script at each semicolon that is neither in a comment nor in quotes; leaves comments out. */
    static List<String> split(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        Matcher token = TOKEN.matcher(script + ";");
        while (token.find()) {
            if (token.group("end") != null) {
                statements.add(statement.toString().strip());
                statement.setLength(0);
            } else if (token.group("comment") == null) {
                statement.append(token.group());
            }
        }
        statements.removeIf(String::isEmpty);
        return statements;
    }

    private String read(String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new OutboxStoreException("There is no DDL for this database (resource " + resource
                        + "): create the table by hand, after the model of the others");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs statements in auto-commit mode; several nodes may do so at the same time. */
    public static void run(Connection conn, List<String> statements) throws SQLException {
        for (String sql : statements) {
            runOne(conn, sql);
        }
    }

    /** Runs one statement; a failure stands only if it was not another node that created the same thing meanwhile. */
    private static void runOne(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute(sql);
        } catch (SQLException first) {
            try (Statement again = conn.createStatement()) {
                again.execute(sql);
            } catch (SQLException second) {
                second.addSuppressed(first);
                throw second;
            }
        }
    }
}
