package io.outbox.testservers;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A RabbitMQ node of its own, from the system's package {@code rabbitmq-server}: user and password {@code guest},
 * virtual host {@code /}.
 *
 * <p>Erlang nodes find each other by a daemon, {@code epmd}, that the first of them starts and none of them stops. This
 * node gets one on a port of its own, as a child process that the kernel ends together with the node.
 */
public final class RabbitServer extends TestServer {

    private static final Path PROGRAMS = Path.of("/usr/lib/rabbitmq/bin");
    private static final int DEFAULT_PORT = 5672;
    private static final int PING_TIMEOUT_MS = 2_000;
    private static final byte[] PROTOCOL_HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    private static final int FRAME_HEADER = 7;

    /** Starts epmd, waits until it listens, and becomes the node. */
    private static final String LAUNCH = """
            setpriv --pdeathsig KILL epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
            until epmd -port "$ERL_EPMD_PORT" -names >/dev/null 2>&1; do
                kill -0 $! || exit 1
                sleep 0.05
            done
            exec "$0"
            """;

    private static RabbitServer shared;

    private final String clusterName = "outbox-" + UUID.randomUUID();
    private final List<String> settings;
    private String uriElsewhere;
    private int tlsPort;
    private List<String> environment = List.of();

    private RabbitServer(String... settings) {
        super("RabbitMQ");
        this.settings = List.of(settings);
    }

    /**
     * The node all tests of this JVM share: the one {@code OUTBOX_TEST_RABBITMQ_URI} names
     * ({@code amqp://user:password@host:port/vhost}), else one that this JVM starts on the first call.
     */
    public static synchronized RabbitServer shared() {
        if (shared == null || shared.isClosed()) {
            String uri = System.getenv("OUTBOX_TEST_RABBITMQ_URI");
            shared = uri == null ? start() : elsewhere(uri);
        }
        return shared;
    }

    /**
     * Starts a node for the caller alone, who closes it.
     *
     * @param settings lines for {@code rabbitmq.conf}, such as {@code max_message_size = 2000}
     */
    public static RabbitServer start(String... settings) {
        RabbitServer server = new RabbitServer(settings);
        server.launch();
        return server;
    }

    /**
     * Starts a node for the caller alone, who closes it, that also listens for TLS on {@link #tlsPort()}.
     *
     * @param settings as for {@link #start}
     */
    public static RabbitServer startWithTls(Certificates certificates, String... settings) {
        int tlsPort = Ports.free();
        List<String> lines = new ArrayList<>(List.of(
                "listeners.ssl.local = 127.0.0.1:" + tlsPort,
                "ssl_options.cacertfile = " + certificates.certificate(),
                "ssl_options.certfile = " + certificates.certificate(),
                "ssl_options.keyfile = " + certificates.key()));
        lines.addAll(List.of(settings));
        RabbitServer server = new RabbitServer(lines.toArray(String[]::new));
        server.tlsPort = tlsPort;
        server.launch();
        return server;
    }

    private static RabbitServer elsewhere(String uri) {
        RabbitServer server = new RabbitServer();
        int port = URI.create(uri).getPort();
        server.attach(port < 0 ? DEFAULT_PORT : port);
        server.uriElsewhere = uri;
        return server;
    }

    /** The address with user and password, for {@code ConnectionFactory.setUri}. */
    public String uri() {
        return uriElsewhere != null ? uriElsewhere : uri(port());
    }

    /** The port for TLS on the loopback interface; 0 if there is none. */
    public int tlsPort() {
        return tlsPort;
    }

    /** The address of this node by way of a proxy. */
    public String uri(TcpProxy proxy) {
        return uri(proxy.port());
    }

    private static String uri(int port) {
        return "amqp://guest:guest@127.0.0.1:" + port;
    }

    /**
     * Puts the definitions of queues, exchanges and bindings on disk. The node confirms a declaration before that, and
     * a kill in the next second would undo it.
     */
    public void saveDefinitions() {
        control("eval", "mnesia:sync_log().");
    }

    /** Runs {@code rabbitmqctl} on this node and returns what it prints, without headings. */
    public synchronized String control(String... arguments) {
        pid(); // refuses a server that runs elsewhere
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(environment);
        command.addAll(List.of(PROGRAMS.resolve("rabbitmqctl").toString(), "--silent"));
        command.addAll(List.of(arguments));
        try {
            return ServerCache.run(command, InputStream.nullInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException("rabbitmqctl failed: " + e.getMessage(), e);
        }
    }

    @Override
    void prepare(Path data) throws IOException {
        if (!Files.isExecutable(PROGRAMS.resolve("rabbitmq-server"))) {
            throw new IOException("RabbitMQ is not installed; run\n    apt-get install -y rabbitmq-server");
        }
        Files.createDirectories(data);
    }

    @Override
    synchronized List<String> command(Path data, int port) {
        writeConfiguration(data, port);
        environment = List.of(
                "HOME=" + data,
                "ERL_EPMD_PORT=" + Ports.free(),
                "RABBITMQ_NODENAME=rabbit@localhost",
                "RABBITMQ_DIST_PORT=" + Ports.free(),
                "RABBITMQ_MNESIA_BASE=" + data.resolve("mnesia"),
                "RABBITMQ_LOG_BASE=" + data,
                "RABBITMQ_LOGS=-",
                "RABBITMQ_PID_FILE=" + data.resolve("pid"),
                "RABBITMQ_CONFIG_FILE=" + data.resolve("rabbitmq"),
                "RABBITMQ_CONF_ENV_FILE=" + data.resolve("none"),
                "RABBITMQ_ENABLED_PLUGINS_FILE=" + data.resolve("enabled_plugins"),
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
                // Makes the script become the node instead of waiting for it as its parent.
                "RUNNING_UNDER_SYSTEMD=true");
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(environment);
        command.addAll(
                List.of("sh", "-c", LAUNCH, PROGRAMS.resolve("rabbitmq-server").toString()));
        return command;
    }

    private void writeConfiguration(Path data, int port) {
        List<String> lines = new ArrayList<>(List.of(
                "listeners.tcp.local = 127.0.0.1:" + port,
                "cluster_name = " + clusterName,
                "log.console.level = warning",
                "disk_free_limit.absolute = 50MB"));
        lines.addAll(settings);
        try {
            Files.write(data.resolve("rabbitmq.conf"), lines);
            Files.writeString(data.resolve("enabled_plugins"), "[].\n");
        } catch (IOException e) {
            throw new UncheckedIOException("RabbitMQ cannot be configured", e);
        }
    }

    /** Shakes hands: the node introduces itself with its cluster's name. */
    @Override
    void ping(Path data, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PING_TIMEOUT_MS);
            socket.connect(Ports.loopback(port), PING_TIMEOUT_MS);
            socket.getOutputStream().write(PROTOCOL_HEADER);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] header = in.readNBytes(FRAME_HEADER);
            if (header.length < FRAME_HEADER) {
                throw new IOException("closed");
            }
            int length = (header[5] & 0xff) << 8 | header[6] & 0xff;
            String introduction = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
            if (!introduction.contains(clusterName)) {
                throw new IOException("another server has port " + port);
            }
        }
    }
}
