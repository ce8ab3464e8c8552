package io.outbox.admin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** An administration in a process with a small heap, which ends if that is used up, and with this JVM. */
final class ServerProcess implements AutoCloseable {

    private final Process process;
    private final int port;

    /** Starts a class that {@linkplain #serve serves}. */
    ServerProcess(Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        this.port = new Scanner(process.getInputStream(), StandardCharsets.UTF_8).nextInt();
    }

    /** Serves until the process that started this one is gone; called by the child. */
    static void serve(OutboxAdmin admin) throws IOException {
        serve(admin, Duration.ofSeconds(30));
    }

    /** Serves with this time for each part of an answer. */
    static void serve(OutboxAdmin admin, Duration forAnswer) throws IOException {
        OutboxAdminServer server =
                OutboxAdminServer.start(admin, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), forAnswer);
        System.out.println(server.address().getPort());
        while (System.in.read() >= 0) {}
        Runtime.getRuntime().halt(0);
    }

    int port() {
        return port;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
