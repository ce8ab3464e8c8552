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

/**
 * A Redis server. Unless its options say otherwise it persists nothing: after {@link #restart()} it is empty. The
 * variable {@code OUTBOX_TEST_REDIS_SERVER} names another program than the one of the build, such as {@code
 * valkey-server}.
 */
public final class RedisServer extends TestServer {

    private static final String BINARY = "redis-server-7.0.15-linux-amd64";
    private static final String OTHER_PROGRAM = System.getenv("OUTBOX_TEST_REDIS_SERVER");
    private static final String READY = "+OK\r\n+PONG";
    private static final int PING_TIMEOUT_MS = 2_000;

    private final String password;
    private final List<String> options;
    private final String sentinelSettings;
    private Path home;
    private int tlsPort;

    private RedisServer(List<String> options, String sentinelSettings) {
        this(UUID.randomUUID().toString(), options, sentinelSettings);
    }

    private RedisServer(String password, List<String> options, String sentinelSettings) {
        super("Redis");
        this.password = password;
        this.options = options;
        this.sentinelSettings = sentinelSettings;
    }

    /**
     * Starts a server for the caller alone, who closes it; options are as on the command line, {@code --name value}.
     */
    public static RedisServer start(String... options) {
        RedisServer server = new RedisServer(List.of(options), null);
        server.launch();
        return server;
    }

    /**
     * Starts a node for a cluster, whose nodes all have the same password; it has no slots and knows no other node yet.
     */
    public static RedisServer startClusterNode(String password, String... options) {
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--masterauth", password));
        all.addAll(List.of(options));
        RedisServer server = new RedisServer(password, all, null);
        server.launch();
        return server;
    }

    /** As {@link #start}, and clients who trust the certificate may use TLS, on a port of its own. */
    public static RedisServer startWithTls(Certificates certificates, String... options) {
        int tlsPort = Ports.free();
        List<String> all = new ArrayList<>(List.of(
                "--tls-port",
                Integer.toString(tlsPort),
                "--tls-cert-file",
                certificates.certificate().toString(),
                "--tls-key-file",
                certificates.key().toString(),
                "--tls-ca-cert-file",
                certificates.certificate().toString(),
                "--tls-auth-clients",
                "no"));
        all.addAll(List.of(options));
        RedisServer server = new RedisServer(all, null);
        server.tlsPort = tlsPort;
        server.launch();
        return server;
    }

    /**
     * Starts a sentinel that knows a primary and its replicas, which have the primary's password. It replaces the
     * primary when it is told to, and by itself only after a minute.
     */
    public static RedisServer startSentinel(String primaryName, RedisServer primary) {
        String settings = """
                sentinel monitor %1$s 127.0.0.1 %2$d 1
                sentinel auth-pass %1$s %3$s
                sentinel down-after-milliseconds %1$s 60000
                """.formatted(primaryName, primary.port(), primary.password());
        RedisServer server = new RedisServer(List.of("--sentinel"), settings);
        server.launch();
        return server;
    }

    /** The port for TLS; zero without. */
    public int tlsPort() {
        return tlsPort;
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
        if (OTHER_PROGRAM == null) {
            home = ServerCache.home(BINARY, RedisServer::unpack);
        }
        Files.createDirectory(data);
        if (sentinelSettings != null) {
            Files.writeString(sentinelFile(data), sentinelSettings);
        }
    }

    private static Path sentinelFile(Path data) {
        return data.resolve("sentinel.conf");
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
        List<String> command = new ArrayList<>();
        command.add(OTHER_PROGRAM == null ? home.resolve(BINARY).toString() : OTHER_PROGRAM);
        if (sentinelSettings != null) {
            command.add(sentinelFile(data).toString());
        }
        command.addAll(List.of("--bind", "127.0.0.1", "--port", Integer.toString(port), "--dir", data.toString()));
        command.addAll(List.of("--requirepass", password, "--save", "", "--appendonly", "no"));
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
