package io.outbox.testservers;

import java.nio.file.Path;
import java.util.List;

/**
 * A TiDB server that runs elsewhere, at the address in {@code OUTBOX_TEST_TIDB_URL}. The build cannot start such a
 * server.
 */
public final class TiDbServer extends DatabaseServer {

    private static final String VARIABLE = "OUTBOX_TEST_TIDB_URL";
    private static final int DEFAULT_PORT = 4000;

    private static TiDbServer shared;

    private TiDbServer() {
        super("TiDB");
    }

    /** Returns the server in the environment variable. */
    public static synchronized TiDbServer shared() {
        if (shared == null) {
            if (System.getenv(VARIABLE) == null) {
                throw new IllegalStateException(
                        "These tests need a TiDB server: set " + VARIABLE
                                + " to jdbc:mysql://HOST:PORT/?user=USER&password=PASSWORD, of a user who may create databases");
            }
            shared = resolve(VARIABLE, DEFAULT_PORT, TiDbServer::new);
        }
        return shared;
    }

    @Override
    void prepare(Path data) {
        throw new UnsupportedOperationException();
    }

    @Override
    List<String> command(Path data, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    String adminUrl(int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    String dataDirectoryQuery() {
        throw new UnsupportedOperationException();
    }
}
