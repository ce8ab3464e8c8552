package io.outbox.oraclestandin;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A database that takes no statement but those that both parsers of Oracle's grammar take and that break no rule of
 * {@link OracleRules}, and that says it is Oracle. The grammar is
 * asked by {@link #refused()}.
 *
 * <p>It shows that no statement was forgotten, and that our side works where an empty text is NULL. It does not show
 * that Oracle answers in the same way: behind it is H2 in its mode for Oracle.
 */
public final class OracleStandIn implements Driver {

    private static final String PREFIX = "jdbc:oracle-stand-in:";
    private static final Pattern BLOCK = Pattern.compile("BEGIN\\s+EXECUTE IMMEDIATE '([^']*)';.*END;", Pattern.DOTALL);
    private static final Pattern KEY = Pattern.compile(" ON \\w+\\.(\\w+)\\(([^)]*)\\)");
    private static final Pattern LONG_LIST = Pattern.compile("\\?(?:, \\?){3,}");

    private static final int DUPLICATE_KEY = 23505;
    private static final int DEADLOCK = 40001;
    private static final int CONCURRENT_UPDATE = 90131;
    private static final Set<Integer> EXISTS = Set.of(42101, 42111);

    /** What H2 lacks of Oracle. The time goes on within a transaction, which that of H2 does not. */
    private static final List<String> PREPARE = List.of(
            "CREATE ALIAS IF NOT EXISTS SYS_EXTRACT_UTC FOR '" + OracleStandIn.class.getName() + ".utc'",
            """
            CREATE VIEW IF NOT EXISTS all_tab_columns AS
            SELECT TABLE_SCHEMA AS owner, TABLE_NAME, COLUMN_NAME, CASE DATA_TYPE
                WHEN 'CHARACTER VARYING' THEN 'VARCHAR2' WHEN 'CHARACTER LARGE OBJECT' THEN 'CLOB'
                WHEN 'NUMERIC' THEN 'NUMBER' WHEN 'TIMESTAMP' THEN 'TIMESTAMP(6)' ELSE DATA_TYPE END AS data_type,
              CHARACTER_MAXIMUM_LENGTH AS char_length, DATETIME_PRECISION AS data_scale,
              CASE IS_NULLABLE WHEN 'YES' THEN 'Y' ELSE 'N' END AS nullable,
              CHAR_LENGTH(COLUMN_DEFAULT) AS default_length, IS_IDENTITY AS identity_column
            FROM INFORMATION_SCHEMA.COLUMNS""",
            "CREATE VIEW IF NOT EXISTS user_tab_columns AS SELECT * FROM all_tab_columns",
            "CREATE TABLE IF NOT EXISTS nls_session_parameters (\"PARAMETER\" VARCHAR(30), \"VALUE\" VARCHAR(64))",
            "CREATE TABLE IF NOT EXISTS nls_database_parameters (\"PARAMETER\" VARCHAR(30), \"VALUE\" VARCHAR(64))");

    private static final Set<String> SENT = ConcurrentHashMap.newKeySet();
    private static final Set<String> REFUSED = ConcurrentHashMap.newKeySet();

    static {
        try {
            DriverManager.registerDriver(new OracleStandIn());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Returns the URL of a new empty database. */
    public static String newDatabase() {
        return PREFIX + UUID.randomUUID().toString().replace("-", "");
    }

    /** Returns the statements that were sent, each once, whatever the length of its lists. */
    public static Set<String> sent() {
        return Set.copyOf(SENT);
    }

    /** Returns what was sent to any of these databases in this JVM and Oracle would not take, with the reasons. */
    public static Set<String> refused() {
        Set<String> refused = new TreeSet<>(REFUSED);
        for (String sql : SENT) {
            List<String> errors = OracleGrammar.errors(sql);
            if (!errors.isEmpty()) {
                refused.add(refusal(sql, errors));
            }
        }
        return refused;
    }

    /** Oracle's function of the same name, as H2 calls it. */
    public static LocalDateTime utc(OffsetDateTime ofTransaction) {
        return LocalDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Connection conn = DriverManager.getConnection(
                "jdbc:h2:mem:" + url.substring(PREFIX.length()) + ";MODE=Oracle;DB_CLOSE_DELAY=-1");
        try (Statement statement = conn.createStatement()) {
            for (String sql : PREPARE) {
                statement.execute(sql);
            }
        }
        return connection(conn);
    }

    private static Connection connection(Connection conn) {
        return proxy(Connection.class, (proxy, method, args) -> {
            String name = method.getName();
            if (name.equals("prepareStatement")) {
                judge((String) args[0]);
            }
            Object result = invoke(conn, method, args);
            if (result instanceof PreparedStatement statement) {
                return prepared(statement, (String) args[0]);
            }
            if (result instanceof Statement statement) {
                return statement(statement);
            }
            return result instanceof DatabaseMetaData metaData ? metaData(metaData) : result;
        });
    }

    private static DatabaseMetaData metaData(DatabaseMetaData metaData) {
        return proxy(DatabaseMetaData.class, (proxy, method, args) -> switch (method.getName()) {
            case "getURL" -> "jdbc:oracle:thin:@stand-in";
            case "getDatabaseProductName" -> "Oracle";
            default -> invoke(metaData, method, args);
        });
    }

    private static Statement statement(Statement statement) {
        return proxy(Statement.class, (proxy, method, args) -> {
            if (args == null || args.length == 0 || !(args[0] instanceof String sql)) {
                return invoke(statement, method, args);
            }
            judge(sql);
            Matcher block = BLOCK.matcher(sql);
            if (!block.matches()) {
                return invoke(statement, method, args);
            }
            judge(block.group(1));
            try {
                return statement.execute(block.group(1));
            } catch (SQLException e) {
                if (EXISTS.contains(e.getErrorCode())) {
                    return false;
                }
                throw e;
            }
        });
    }

    private static PreparedStatement prepared(PreparedStatement statement, String sql) {
        return proxy(PreparedStatement.class, (proxy, method, args) -> {
            if (method.getName().equals("setString") && "".equals(args[1])) {
                require(!OracleRules.isCompared(sql, (Integer) args[0]), sql, List.of("compares with an empty text"));
            }
            boolean isIsolation = sql.startsWith("SET TRANSACTION ISOLATION")
                    && method.getName().startsWith("execute");
            Object result = isIsolation ? Integer.valueOf(0) : invoke(statement, method, args);
            if (result instanceof ResultSet rows) {
                requireDifferentNames(rows.getMetaData(), sql);
            }
            return result;
        });
    }

    private static void requireDifferentNames(ResultSetMetaData columns, String sql) throws SQLException {
        Set<String> names = new HashSet<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            require(names.add(columns.getColumnLabel(i)), sql, List.of("ORA-00918: two columns with one name"));
        }
    }

    /**
     * Looks at the rules, and leaves the grammar, which takes longer than what tests of time allow, to {@link
     * #refused()}.
     */
    private static void judge(String sql) {
        List<String> broken = OracleRules.broken(sql);
        require(broken.isEmpty(), sql, broken);
        SENT.add(LONG_LIST.matcher(sql).replaceAll("?, ?"));
    }

    private static void require(boolean condition, String sql, List<String> errors) {
        if (!condition) {
            REFUSED.add(refusal(sql, errors)); // a thread of an outbox survives the error
            throw new AssertionError(refusal(sql, errors));
        }
    }

    private static String refusal(String sql, List<String> errors) {
        return "Oracle would not take this statement:\n" + sql + "\n" + String.join("\n", errors);
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException failure ? asOracle(failure) : e.getCause();
        }
    }

    /** Returns the failure as Oracle before version 23 and its driver report it, where our side looks at it. */
    private static SQLException asOracle(SQLException e) {
        SQLException first =
                e instanceof BatchUpdateException && e.getNextException() != null ? e.getNextException() : e;
        return switch (first.getErrorCode()) {
            case DUPLICATE_KEY ->
                new SQLException(
                        "ORA-00001: unique constraint (OUTBOX." + constraint(first) + ") violated", "23000", 1, e);
            case DEADLOCK ->
                new SQLException("ORA-00060: deadlock detected while waiting for resource", "61000", 60, e);
            case CONCURRENT_UPDATE ->
                new SQLException("ORA-08177: can't serialize access for this transaction", "72000", 8177, e);
            default -> e;
        };
    }

    private static String constraint(SQLException e) {
        Matcher key = KEY.matcher(String.valueOf(e.getMessage()));
        boolean isOurs = key.find() && key.group(2).contains("EVENT_ID");
        return isOurs ? key.group(1) + "_PK" : "ANOTHER_INDEX";
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("");
    }
}
