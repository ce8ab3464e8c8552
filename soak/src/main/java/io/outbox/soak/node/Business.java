package io.outbox.soak.node;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * What the business does in a transaction beside writing events, and what goes wrong there. The errors are real:
 * another session has the row that this transaction wants. Thread-safe.
 */
public final class Business implements AutoCloseable {

    private static final int ROWS = 400;
    /**
     * More than a transaction writes events: databases of the MySQL family give up the transaction that changed less.
     */
    private static final int CHANGES_OF_RIVAL = 200;

    private static final int RIVAL_TIMEOUT_SECONDS = 30;

    private final String jdbcUrl;
    private final Family family;
    private final ExecutorService rivals = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "soak-rival");
        thread.setDaemon(true);
        return thread;
    });

    /** What databases do differently. */
    private enum Family {
        POSTGRESQL("SET LOCAL lock_timeout = '50ms'", "", "SET LOCAL deadlock_timeout = '200ms'") {
            /** Whatever fails, the transaction is lost. */
            @Override
            boolean hasUndone(SQLException error) {
                return true;
            }
        },
        MYSQL("SET SESSION innodb_lock_wait_timeout = 1", "SET SESSION innodb_lock_wait_timeout = 50", "") {
            /** Only a deadlock ends the transaction, and begins another one without a word. */
            @Override
            boolean hasUndone(SQLException error) {
                return error.getErrorCode() == MYSQL_DEADLOCK;
            }
        };

        private static final int MYSQL_DEADLOCK = 1213;

        private final String giveUpSoon;
        private final String giveUpLate;
        private final String beTheVictim;

        Family(String giveUpSoon, String giveUpLate, String beTheVictim) {
            this.giveUpSoon = giveUpSoon;
            this.giveUpLate = giveUpLate;
            this.beTheVictim = beTheVictim;
        }

        abstract boolean hasUndone(SQLException error);
    }

    Business(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
        this.family = jdbcUrl.startsWith("jdbc:postgresql:") ? Family.POSTGRESQL : Family.MYSQL;
    }

    /** Creates the tables of the business. */
    public static void createTables(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            execute(connection, "CREATE TABLE business (id INT PRIMARY KEY, changes INT NOT NULL)");
            execute(connection, "CREATE TABLE rival (id INT NOT NULL)");
            execute(connection, "CREATE TABLE aggregate (id VARCHAR(20) PRIMARY KEY, events INT NOT NULL)");
            execute(
                    connection,
                    "INSERT INTO aggregate VALUES "
                            + Keys.all().map(key -> "('" + key + "', 0)").collect(Collectors.joining(", ")));
            for (int id = 0; id < ROWS; id++) {
                execute(connection, "INSERT INTO business VALUES (" + id + ", 0)");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Counts the events of a key in the row of its aggregate, which nobody else can do before the transaction has
     * ended.
     */
    long nextNumber(Connection connection, String key) {
        try (PreparedStatement count =
                        connection.prepareStatement("UPDATE aggregate SET events = events + 1 WHERE id = ?");
                PreparedStatement read = connection.prepareStatement("SELECT events FROM aggregate WHERE id = ?")) {
            count.setString(1, key);
            count.executeUpdate();
            read.setString(1, key);
            try (ResultSet row = read.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Does its part of a transaction up to its end, and returns whether the events have been undone. */
    boolean run(Connection connection, Runnable write, Course course) {
        try {
            return switch (course) {
                case COMMIT, ROLL_BACK -> {
                    write.run();
                    yield false;
                }
                case SAVEPOINT -> {
                    Savepoint savepoint = connection.setSavepoint();
                    write.run();
                    connection.rollback(savepoint);
                    yield true;
                }
                case DEADLOCK -> {
                    write.run();
                    yield deadlock(connection);
                }
                case LOCK_TIMEOUT -> {
                    write.run();
                    yield lockTimeout(connection);
                }
            };
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets a rival wait for our row, and us for the rival's. Returns whether we were the ones to give way. */
    private boolean deadlock(Connection connection) throws SQLException {
        int ours = ThreadLocalRandom.current().nextInt(ROWS / 2);
        int theirs = ours + ROWS / 2;
        try (Connection rival = rival()) {
            insertMany(rival);
            change(rival, theirs);
            change(connection, ours);
            execute(connection, family.beTheVictim);
            Future<?> waiting = rivals.submit(() -> {
                change(rival, ours);
                return null;
            });
            try {
                change(connection, theirs);
                return false;
            } catch (SQLException caught) {
                return family.hasUndone(caught);
            } finally {
                await(waiting);
                rival.rollback();
            }
        }
    }

    private boolean lockTimeout(Connection connection) throws SQLException {
        int row = ThreadLocalRandom.current().nextInt(ROWS);
        execute(connection, family.giveUpSoon);
        try (Connection rival = rival()) {
            change(rival, row);
            try {
                change(connection, row);
                return false;
            } catch (SQLException caught) {
                return family.hasUndone(caught);
            } finally {
                rival.rollback();
            }
        } finally {
            execute(connection, family.giveUpLate);
        }
    }

    private Connection rival() throws SQLException {
        Connection rival = DriverManager.getConnection(jdbcUrl);
        rival.setAutoCommit(false);
        return rival;
    }

    private static void insertMany(Connection rival) throws SQLException {
        execute(rival, "INSERT INTO rival VALUES (0)" + ", (0)".repeat(CHANGES_OF_RIVAL - 1));
    }

    private static void change(Connection connection, int row) throws SQLException {
        execute(connection, "UPDATE business SET changes = changes + 1 WHERE id = " + row);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        if (!sql.isEmpty()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }
    }

    /** Waits for a rival, who may have been the one to give way. */
    private static void await(Future<?> rival) {
        try {
            rival.get(RIVAL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException gaveWay) {
            // as good as if it had not
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        rivals.shutdownNow();
    }
}
