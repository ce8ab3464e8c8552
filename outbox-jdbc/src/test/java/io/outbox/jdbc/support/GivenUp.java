package io.outbox.jdbc.support;

import io.outbox.testservers.support.Intercepted;
import java.sql.SQLException;

/** The ways in which databases say that they gave a statement up in favour of another. */
public enum GivenUp {
    SERIALIZATION_FAILURE("40001", 0),
    DEADLOCK_OF_POSTGRESQL("40P01", 0),
    DEADLOCK_OF_MYSQL("40001", 1213),
    CONCURRENT_UPDATE_OF_H2("90131", 90131),
    LOCK_TIMEOUT_OF_H2("HYT00", 50200);

    private final String state;
    private final int code;

    GivenUp(String state, int code) {
        this.state = state;
        this.code = code;
    }

    public SQLException failure() {
        return new SQLException("given up", state, code);
    }

    /** Fails the first executions of statements on a table instead of running them; counts all of them. */
    public static final class First implements Intercepted.Interceptor {

        private final String tableName;
        private final GivenUp how;
        private int failures;
        private int executions;

        public First(int failures, GivenUp how, String tableName) {
            this.failures = failures;
            this.how = how;
            this.tableName = tableName;
        }

        @Override
        public Object intercept(Intercepted.Call call) throws Throwable {
            if (call.executes(tableName)) {
                executions++;
                if (failures > 0) {
                    failures--;
                    throw how.failure();
                }
            }
            return call.proceed();
        }

        public int executions() {
            return executions;
        }
    }
}
