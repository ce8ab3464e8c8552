package io.outbox.soak;

import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;

/**
 * A server that has all changes of another one, and takes its place.
 *
 * @param server the new primary, once it has taken over
 * @param takeOver makes the old primary refuse changes, and the replica take them; nothing that was committed is lost
 */
record Replica(DatabaseServer server, Runnable takeOver) {

    private static final int FIRST_ID = 2;

    /** Makes replicas. */
    @FunctionalInterface
    interface Maker {

        /** Starts a replica of a server. */
        Replica of(DatabaseServer primary, int number);
    }

    static Replica ofPostgres(DatabaseServer primary, int number) {
        PostgresServer old = (PostgresServer) primary;
        PostgresServer standby = old.startStandby();
        old.replicateSynchronously(true);
        return new Replica(standby, () -> {
            old.demote();
            standby.promote();
        });
    }

    static Replica ofMySql(DatabaseServer primary, int number) {
        MySqlServer old = (MySqlServer) primary;
        MySqlServer replica = MySqlServer.startForReplication(FIRST_ID + number);
        replica.follow(old);
        replica.awaitChangesOf(old);
        return new Replica(replica, () -> {
            old.demote();
            replica.awaitChangesOf(old);
            replica.promote();
        });
    }

    static Replica none(DatabaseServer primary, int number) {
        throw new UnsupportedOperationException("No replicas of this database");
    }
}
