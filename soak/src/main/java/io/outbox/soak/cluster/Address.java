package io.outbox.soak.cluster;

import io.outbox.testservers.TcpProxy;

/**
 * Where the database of a run is.
 *
 * @param jdbcUrl its URL, with the server's port and at least one option in it
 * @param networkTimeouts options for the URL with which a driver gives up waiting for the server, before a lease is over
 */
public record Address(String jdbcUrl, int port, String networkTimeouts) {

    /** Returns the address for a node whose driver gives up waiting. */
    Address impatient() {
        return new Address(jdbcUrl + networkTimeouts, port, "");
    }

    /** Returns the URL that leads through a proxy. */
    String through(TcpProxy proxy) {
        return jdbcUrl.replace(":" + port + "/", ":" + proxy.port() + "/");
    }
}
