package io.outbox.soak;

import io.outbox.soak.cluster.Address;
import io.outbox.soak.judge.Row;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.TestServer;
import java.util.List;
import java.util.Set;

/** A server with an outbox in it, as the harness sees both: past all proxies, independently of any engine. */
interface Store extends AutoCloseable {

    /** Something that is wrong with the server for a while. */
    interface Trouble {

        /** Returns the events whose rows it hits; none if it hits no row in particular. */
        Set<String> begin() throws Exception;

        void end() throws Exception;
    }

    TestServer server();

    /** Returns where nodes find the outbox. */
    Address address();

    List<Row> rows() throws Exception;

    long countPending() throws Exception;

    /** Returns the places of events among those of their keys, if the store's own numbers are the order of commits. */
    default List<Keyed> places() {
        return List.of();
    }

    /** Changes of the outbox fail. */
    Trouble refusing();

    /** Changes of the outbox wait. */
    Trouble blocking();

    /**
     * The rows of a few pending events are locked.
     *
     * @throws UnsupportedOperationException if this is no database
     */
    Trouble lockingRows();

    /**
     * Somebody goes on seeing what there is now.
     *
     * @throws UnsupportedOperationException if this is no database
     */
    Trouble holdingSnapshot();

    /**
     * All sessions are ended, again and again.
     *
     * @throws UnsupportedOperationException if this is no database
     */
    Trouble endingSessions();

    /**
     * Another server becomes the primary, and the proxies lead there in the end.
     *
     * @throws UnsupportedOperationException if this store has no replicas
     */
    Trouble failingOver(List<TcpProxy> proxies);

    /**
     * The outbox goes to another node of a cluster, and the proxies lead there in the end.
     *
     * @throws UnsupportedOperationException if this is no Redis
     */
    Trouble movingSlot(List<TcpProxy> proxies);

    /** Ends the server. */
    @Override
    void close();
}
