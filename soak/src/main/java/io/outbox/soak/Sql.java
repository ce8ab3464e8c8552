package io.outbox.soak;

import java.util.List;

/**
 * What a database has its own words for.
 *
 * @param networkTimeouts options for the URL with which a driver gives up waiting after two seconds
 * @param lockTimeout an option for the URL with which statements of the harness do not wait for ever
 * @param readOnly makes updates of the outbox table fail as on a read-only server
 * @param locked makes changes of the outbox table wait for the session
 * @param snapshot makes the session see nothing that is committed from now on
 * @param sessions the statements that end all other sessions of the database
 */
record Sql(
        String networkTimeouts, String lockTimeout, Toggle readOnly, Toggle locked, Toggle snapshot, String sessions) {

    /** Statements that turn something on, and one that turns it off again. */
    record Toggle(List<String> on, String off) {}

    static final Sql POSTGRESQL = new Sql(
            "&connectTimeout=2&socketTimeout=2",
            "&options=-c%20lock_timeout=20s",
            new Toggle(List.of("""
                    CREATE OR REPLACE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      RAISE EXCEPTION 'the outbox table is read-only' USING ERRCODE = 'read_only_sql_transaction';
                    END $$
                    """, """
                    CREATE TRIGGER refuse_update BEFORE UPDATE ON outbox_event
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_update()
                    """), "DROP TRIGGER refuse_update ON outbox_event"),
            new Toggle(List.of("BEGIN", "LOCK TABLE outbox_event IN EXCLUSIVE MODE"), "COMMIT"),
            new Toggle(List.of("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM outbox_event"), "COMMIT"),
            """
            SELECT 'SELECT pg_terminate_backend(' || pid || ')' FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            """);

    static final Sql MYSQL = new Sql(
            "&connectTimeout=2000&socketTimeout=2000",
            "&sessionVariables=lock_wait_timeout=20",
            new Toggle(List.of("""
                    CREATE TRIGGER refuse_update BEFORE UPDATE ON outbox_event
                    FOR EACH ROW SIGNAL SQLSTATE 'HY000'
                    SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'the outbox table is read-only'
                    """), "DROP TRIGGER refuse_update"),
            new Toggle(List.of("LOCK TABLES outbox_event READ"), "UNLOCK TABLES"),
            new Toggle(List.of("START TRANSACTION WITH CONSISTENT SNAPSHOT"), "COMMIT"),
            """
            SELECT concat('KILL ', id) FROM information_schema.processlist
            WHERE db = database() AND id <> connection_id()
            """);
}
