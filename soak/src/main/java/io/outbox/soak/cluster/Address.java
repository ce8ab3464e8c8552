package io.outbox.soak.cluster;

import io.outbox.testservers.TcpProxy;

/**
 * Where the outbox of a run is.
 *
 * @param url its URL, with the server's port and a path in it
 * @param impatientUrl the same, for a client that gives up waiting for the server before a lease is over
 */
public record Address(String url, String impatientUrl, int port) {

    /** Returns the address for a node whose client gives up waiting. */
    Address impatient() {
        return new Address(impatientUrl, impatientUrl, port);
    }

    /** Returns the URL that leads through a proxy. */
    String through(TcpProxy proxy) {
        return url.replace(":" + port + "/", ":" + proxy.port() + "/");
    }
}
