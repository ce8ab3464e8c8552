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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * DDL in the resources of a jar, {@code schema/<name>.sql}, for a table of any name. Each script brings a table of any
 * earlier version up to date and leaves one that is up to date as it is.
 *
 * @param owner a class of the jar
 * @param name the name of the script
 * @param defaultTable the table that the script names
 * @param tableName the table that takes its place
 */
public record SchemaScript(Class<?> owner, String name, String defaultTable, String tableName) {

    private static final String LANES = "-lanes";
    private static final String KEYED = "-keyed";

    /** What the name of the table of locks ends with, which is where the table of events is. */
    public static final String LOCKS = "_lock";

    /** Text in quotes, a comment, the end of a statement, or anything else. */
    private static final Pattern TOKEN = token(";");

    /**
     * The same for a script with blocks, which have semicolons inside: a slash on a line of its own ends each of them.
     */
    private static final Pattern TOKEN_OF_BLOCKS = token("(?<=\\n)/(?=\\n|$)");

    private static final Pattern BLOCK_END = Pattern.compile("^/$", Pattern.MULTILINE);

    private static Pattern token(String end) {
        return Pattern.compile(
                "'[^']*'|\"[^\"]*\"|(?<comment>--[^\\n]*|/\\*.*?\\*/)|(?<end>" + end + ")|.", Pattern.DOTALL);
    }

    /** A column on a line of its own. */
    private static final Pattern COLUMN = Pattern.compile("^ {2}([a-z_]+) +([A-Z].*?),?$", Pattern.MULTILINE);

    /** A column that an ALTER TABLE adds, up to what follows it outside of parentheses. */
    private static final Pattern ADDED_COLUMN =
            Pattern.compile("ADD COLUMN (?:IF NOT EXISTS )?(\\w+) ((?:[^,;'()]|\\((?:[^()]|\\([^()]*\\))*\\))+)");

    private static final Pattern INDEX =
            Pattern.compile("CREATE INDEX (?:IF NOT EXISTS )?\\w+\\s+ON \\S+ \\((?<columns>[^)]*)\\)[^;']*");
    private static final Pattern INDEX_OF_TABLE =
            Pattern.compile("^ {2}INDEX (?<name>\\w+) \\((?<columns>[^)]*)\\)", Pattern.MULTILINE);

    /** Creates the script of an outbox table. */
    public SchemaScript(Class<?> owner, String name, String tableName) {
        this(owner, name, TableNames.DEFAULT_TABLE, tableName);
    }

    /** Returns whether there is such a script. */
    public boolean isPresent() {
        return owner.getResource(resource("")) != null;
    }

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

    /** Returns the statements that add columns and indexes for order by key. */
    public List<String> keyed() {
        return statements(resource(KEYED));
    }

    /** Returns whether there is a script for order by key. */
    public boolean hasKeyed() {
        return owner.getResource(resource(KEYED)) != null;
    }

    /** Returns how the script for order by key defines each column that it adds. */
    Map<String, ColumnDefinition> keyedColumns() {
        Map<String, ColumnDefinition> columns = new LinkedHashMap<>();
        for (String statement : keyed()) {
            Matcher column = ADDED_COLUMN.matcher(statement.replaceAll("\\s+", " "));
            while (column.find()) {
                columns.put(
                        column.group(1),
                        new ColumnDefinition(column.group(1), column.group(2).strip()));
            }
        }
        return columns;
    }

    /** Returns how the script defines each column. */
    public Map<String, ColumnDefinition> columns() {
        Map<String, ColumnDefinition> columns = new LinkedHashMap<>();
        Matcher column = COLUMN.matcher(table().get(0));
        while (column.find()) {
            columns.put(column.group(1), new ColumnDefinition(column.group(1), column.group(2)));
        }
        return columns;
    }

    /** Returns the indexes of the table, its primary key not among them. */
    public List<IndexDefinition> indexes() {
        List<IndexDefinition> indexes = new ArrayList<>();
        Matcher inline = INDEX_OF_TABLE.matcher(table().get(0));
        while (inline.find()) {
            String columns = inline.group("columns");
            indexes.add(new IndexDefinition(
                    columns(columns),
                    "CREATE INDEX " + inline.group("name") + " ON " + tableName + " (" + columns + ")"));
        }
        table().forEach(statement -> addIndexes(statement, indexes));
        return indexes;
    }

    /** Returns the index for event types with a lane of their own. */
    IndexDefinition indexForLanes() {
        List<IndexDefinition> indexes = new ArrayList<>();
        laneIndex().forEach(statement -> addIndexes(statement, indexes));
        return indexes.get(0);
    }

    private static void addIndexes(String statement, List<IndexDefinition> indexes) {
        Matcher index = INDEX.matcher(statement);
        while (index.find()) {
            indexes.add(new IndexDefinition(
                    columns(index.group("columns")),
                    index.group().replaceAll("\\s+", " ").strip()));
        }
    }

    private static List<String> columns(String list) {
        return List.of(list.split(",\\s*"));
    }

    private String resource(String suffix) {
        return "/schema/" + name + suffix + ".sql";
    }

    private List<String> statements(String resource) {
        int dot = tableName.indexOf('.');
        String script = read(resource)
                .replaceAll("DROP INDEX IF EXISTS " + defaultTable + "_", "DROP INDEX IF EXISTS " + tableName + "_")
                .replaceAll("\\b" + defaultTable + LOCKS + "\\b", tableName + LOCKS)
                .replaceAll("\\b" + defaultTable + "_", tableName.substring(dot + 1) + "_")
                .replaceAll("\\b" + defaultTable + "\\b", tableName);
        return split(script);
    }

    /** Splits a script at each end of a statement that is neither in a comment nor in quotes; leaves comments out. */
    static List<String> split(String script) {
        boolean hasBlocks = BLOCK_END.matcher(script).find();
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        Matcher token = hasBlocks ? TOKEN_OF_BLOCKS.matcher(script + "\n/") : TOKEN.matcher(script + ";");
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
                        + "): create the table by hand, modelled on the other scripts");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs a script in auto-commit mode. Several nodes may do so at the same time: what fails because another node has
     * just created the same thing passes when the script is run again, so that is done for as long as it gets further.
     */
    public static void run(Connection conn, List<String> statements) throws SQLException {
        int reached = -1;
        while (true) {
            int position = 0;
            try {
                for (; position < statements.size(); position++) {
                    runOne(conn, statements.get(position));
                }
                return;
            } catch (SQLException e) {
                if (position <= reached) {
                    throw e;
                }
                reached = position;
            }
        }
    }

    private static void runOne(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }
}
