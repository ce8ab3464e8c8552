package io.outbox.testservers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/**
 * A Kafka broker in a JVM of its own, one node that is broker and controller. Topics have to be created, unless a test
 * asks for {@code auto.create.topics.enable=true}; they get one partition by default.
 *
 * <p>The jars of the server are not on the class path of its users: the build of this module writes their locations to
 * a resource.
 */
public final class KafkaServer extends TestServer {

    private static final String CLASS_PATH = "/kafka-server.classpath";
    private static final int PING_TIMEOUT_MS = 2_000;
    private static final List<String> SETTINGS = List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "controller.listener.names=CONTROLLER",
            "auto.create.topics.enable=false",
            "group.initial.rebalance.delay.ms=0",
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "transaction.state.log.num.partitions=1",
            "transaction.state.log.replication.factor=1",
            "share.coordinator.state.topic.min.isr=1",
            "share.coordinator.state.topic.replication.factor=1",
            // A broker that comes back after a kill is let in once its former session is over.
            "broker.heartbeat.interval.ms=300",
            "broker.session.timeout.ms=6000");

    /**
     * Nobody kills the shared broker, so no stall of the machine has to cost it its session, and partitions their
     * leader.
     */
    private static final String LONG_SESSION = "broker.session.timeout.ms=60000";

    private static KafkaServer shared;

    private final List<String> settings;
    /** The protocol of a second listener, or {@code null} if there is none. */
    private final String protocol;

    private final String clusterId = newClusterId();
    private String bootstrapElsewhere;
    private int advertisedPort;
    private int securedPort;

    private KafkaServer(String protocol, String... settings) {
        super("Kafka");
        this.protocol = protocol;
        this.settings = List.of(settings);
    }

    /**
     * The broker all tests of this JVM share: the one {@code OUTBOX_TEST_KAFKA_BOOTSTRAP} names (host:port, several
     * separated by commas), else one that this JVM starts on the first call.
     */
    public static synchronized KafkaServer shared() {
        if (shared == null || shared.isClosed()) {
            String bootstrap = System.getenv("OUTBOX_TEST_KAFKA_BOOTSTRAP");
            shared = bootstrap == null ? start(LONG_SESSION) : elsewhere(bootstrap);
        }
        return shared;
    }

    /**
     * Starts a broker for the caller alone, who closes it.
     *
     * @param settings lines for {@code server.properties} that win over the usual ones, such as
     *     {@code message.max.bytes=2000}
     */
    public static KafkaServer start(String... settings) {
        return start(new KafkaServer(null, settings));
    }

    /**
     * Starts a broker for the caller alone, who closes it, with a second listener that is named {@code SECURED}.
     *
     * @param protocol that of the second listener, such as {@code SASL_SSL}
     * @param settings as for {@link #start}; those of the second listener begin with {@code listener.name.secured}
     */
    public static KafkaServer startSecured(String protocol, String... settings) {
        return start(new KafkaServer(protocol, settings));
    }

    private static KafkaServer start(KafkaServer server) {
        server.launch();
        return server;
    }

    private static KafkaServer elsewhere(String bootstrap) {
        KafkaServer server = new KafkaServer(null);
        server.attach(Integer.parseInt(bootstrap.replaceAll(",.*", "").replaceAll(".*:", "")));
        server.bootstrapElsewhere = bootstrap;
        return server;
    }

    /** The value for {@code bootstrap.servers}. */
    public synchronized String bootstrapServers() {
        if (bootstrapElsewhere != null) {
            return bootstrapElsewhere;
        }
        return "127.0.0.1:" + (advertisedPort == 0 ? port() : advertisedPort);
    }

    /** The value for {@code bootstrap.servers} that leads to the second listener. */
    public synchronized String securedBootstrapServers() {
        if (protocol == null) {
            throw new IllegalStateException("the broker has no second listener; use startSecured()");
        }
        return "localhost:" + securedPort;
    }

    /**
     * Restarts the broker with the port of a proxy as the address it gives to clients, which otherwise would go past
     * the proxy after their first request.
     */
    public synchronized void advertise(TcpProxy proxy) {
        advertisedPort = proxy.port();
        restart();
    }

    @Override
    void prepare(Path data) throws IOException {
        Files.createDirectories(data);
        writeProperties(data, Ports.free());
        List<String> format = java("kafka.tools.StorageTool");
        format.addAll(List.of("format", "-t", clusterId, "-c", properties(data).toString()));
        ServerCache.run(format, InputStream.nullInputStream());
    }

    @Override
    List<String> command(Path data, int port) {
        try {
            writeProperties(data, port);
        } catch (IOException e) {
            throw new UncheckedIOException("Kafka cannot be configured", e);
        }
        List<String> command = java("kafka.Kafka");
        command.add(properties(data).toString());
        return command;
    }

    /** Asks for the metadata of the cluster: its id is this server's, and its broker is in service. */
    @Override
    void ping(Path data, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PING_TIMEOUT_MS);
            socket.connect(Ports.loopback(port), PING_TIMEOUT_MS);
            writeMetadataRequest(new DataOutputStream(socket.getOutputStream()));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ByteBuffer response = ByteBuffer.wrap(in.readNBytes(in.readInt()));
            response.getInt(); // correlation id
            int brokers = response.getInt();
            for (int i = 0; i < brokers; i++) {
                response.getInt(); // node
                readString(response); // host
                response.getInt(); // port
                readString(response); // rack
            }
            if (brokers == 0 || !clusterId.equals(readString(response))) {
                throw new IOException("not in service, or another server has port " + port);
            }
        }
    }

    /** Metadata request, version 2: the last one before the cluster id moves, and about no topic. */
    private static void writeMetadataRequest(DataOutputStream out) throws IOException {
        ByteBuffer request = ByteBuffer.allocate(18)
                .putInt(14)
                .putShort((short) 3)
                .putShort((short) 2)
                .putInt(1) // correlation id
                .putShort((short) -1) // no client id
                .putInt(0); // no topics
        out.write(request.array());
        out.flush();
    }

    private static String readString(ByteBuffer buffer) {
        int length = buffer.getShort();
        if (length < 0) {
            return null;
        }
        byte[] text = new byte[length];
        buffer.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private void writeProperties(Path data, int port) throws IOException {
        if (protocol != null && securedPort == 0) {
            securedPort = freePortBut(port);
        }
        int controllerPort = freePortBut(port, securedPort);
        List<String> lines = new ArrayList<>(SETTINGS);
        lines.add("listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"
                + (protocol == null ? "" : ",SECURED:" + protocol));
        String others = ",CONTROLLER://127.0.0.1:" + controllerPort
                + (protocol == null ? "" : ",SECURED://localhost:" + securedPort);
        lines.add("listeners=PLAINTEXT://127.0.0.1:" + port + others);
        if (advertisedPort != 0) {
            lines.add("advertised.listeners=PLAINTEXT://127.0.0.1:" + advertisedPort + others);
        }
        lines.add("controller.quorum.voters=1@127.0.0.1:" + controllerPort);
        lines.add("log.dirs=" + data.resolve("log"));
        lines.addAll(settings);
        Files.write(properties(data), lines);
    }

    /** A port stays free until somebody listens to it, so that the same one may come twice. */
    private static int freePortBut(int... taken) {
        int port = Ports.free();
        while (contains(taken, port)) {
            port = Ports.free();
        }
        return port;
    }

    private static boolean contains(int[] ports, int port) {
        return Arrays.stream(ports).anyMatch(taken -> taken == port);
    }

    private static Path properties(Path data) {
        return data.resolve("server.properties");
    }

    private static List<String> java(String mainClass) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx400m",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                classPath(),
                mainClass));
    }

    private static String classPath() {
        try (InputStream resource = KafkaServer.class.getResourceAsStream(CLASS_PATH)) {
            if (resource == null) {
                throw new IllegalStateException(
                        CLASS_PATH + " is missing: build this module with Maven once (mvn process-resources)");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(CLASS_PATH + " cannot be read", e);
        }
    }

    /** Cluster ids are 16 bytes in URL-safe Base64 and must not begin with a dash, which would look like an option. */
    private static String newClusterId() {
        UUID id = UUID.randomUUID();
        byte[] bytes = ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits() & Long.MAX_VALUE)
                .putLong(id.getLeastSignificantBits())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
