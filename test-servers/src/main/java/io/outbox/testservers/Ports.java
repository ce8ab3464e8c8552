package io.outbox.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free TCP ports of the loopback interface, below the system's range for outgoing connections. */
final class Ports {

    private static final int FIRST = 20_000;
    private static final int END = 32_000;
    private static final int ATTEMPTS = 1_000;

    private Ports() {}

    /** A port nobody listens on at the moment. */
    static int free() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(loopback(port));
                return port;
            } catch (IOException taken) {
                // try the next one
            }
        }
        throw new IllegalStateException("no free port found from " + FIRST + " to " + (END - 1));
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
