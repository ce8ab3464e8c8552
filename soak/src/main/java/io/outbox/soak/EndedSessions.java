package io.outbox.soak;

import io.outbox.soak.Store.Trouble;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Sessions that an operator ends, all of them, again and again. Used by one thread. */
final class EndedSessions implements Trouble {

    /** Long enough to connect again and get something done. */
    private static final int PAUSE_MS = 150;
    /** How often a connection can be made in a pause, on a machine that is busy with other things. */
    private static final int CONNECTS = 10;

    private final Callable<Connection> connect;
    private final String statements;
    private final Thread killer = new Thread(this::endAgainAndAgain, "ended-sessions");

    /** @param statements a query whose rows are statements that end one session each */
    EndedSessions(Callable<Connection> connect, String statements) {
        this.connect = connect;
        this.statements = statements;
    }

    @Override
    public Set<String> begin() {
        killer.start();
        return Set.of();
    }

    @Override
    public void end() throws InterruptedException {
        killer.interrupt();
        killer.join();
    }

    private void endAgainAndAgain() {
        try (Connection connection = connect.call()) {
            while (true) {
                for (String statement : found(connection)) {
                    end(connection, statement);
                }
                TimeUnit.MILLISECONDS.sleep(Math.max(PAUSE_MS, CONNECTS * millisToConnect()));
            }
        } catch (InterruptedException over) {
            // which is how it ends
        } catch (Exception e) {
            throw new IllegalStateException("Sessions cannot be ended", e);
        }
    }

    private long millisToConnect() throws Exception {
        long began = System.nanoTime();
        connect.call().close();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    private List<String> found(Connection connection) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement query = connection.createStatement();
                ResultSet rows = query.executeQuery(statements)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    private static void end(Connection connection, String statement) {
        try (Statement ending = connection.createStatement()) {
            ending.execute(statement);
        } catch (SQLException gone) {
            // by itself, in this very moment
        }
    }
}
