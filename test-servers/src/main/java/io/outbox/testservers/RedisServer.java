package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.jar.JarFile;

/** A Redis server. Unless its options say otherwise it persists nothing: after {@link #restart()} it is empty. */
public final class RedisServer extends TestServer {

    private static final String BINARY = "redis-server-7.0.15-linux-amd64";
    private static final String READY = "+OK\r\n+PONG";
    private static final int PING_TIMEOUT_MS = 2_000;

    private final String password = UUID.randomUUID().toString();
    private final List<String> options;
    private Path home;

    private RedisServer(List<String> options) {
        super("Redis");
        this.options = options;
    }

    /** Starts a server for the caller alone, who closes it; options are as on the command line, {@code --name value}. */
    public static RedisServer start(String... options) {
        RedisServer server = new RedisServer(List.of(options));
        server.launch();
        return server;
    }

    /** The password that clients have to give. */
    public String password() {
        return password;
    }

    /** The directory with what the server persists. */
    public Path dataDirectory() {
        return directory().resolve("data");
    }

    @Override
    void prepare(Path data) throws IOException {
        home = ServerCache.home(BINARY, RedisServer::unpack);
        Files.createDirectory(data);
    }

    private static void unpack(JarFile jar, Path directory) throws IOException {
        Path binary = directory.resolve(BINARY);
        try (InputStream content = jar.getInputStream(jar.getEntry(BINARY))) {
            Files.copy(content, binary);
        }
        if (!binary.toFile().setExecutable(true)) {
            throw new IOException(binary + " cannot be made executable");
        }
    }

    @Override
    List<String> command(Path data, int port) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve(BINARY).toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--dir",
                data.toString(),
                "--save",
                "",
                "--appendonly",
                "no",
                "--requirepass",
                password));
        command.addAll(options);
        return command;
    }

    /** The password tells this server from another one on the port; an answer to PING, that it has loaded its data. */
    @Override
    void ping(Path data, int port) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(Ports.loopback(port), PING_TIMEOUT_MS);
            socket.setSoTimeout(PING_TIMEOUT_MS);
            socket.getOutputStream().write(("AUTH " + password + "\r\nPING\r\n").getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(READY.length()), StandardCharsets.US_ASCII);
            if (!answer.equals(READY)) {
                throw new IOException("Redis answers " + answer);
            }
        }
    }
}
