package io.outbox.spring.boot.processes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.boot.admin.OpenToAll;
import io.outbox.testservers.support.ChildJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Requests to the administration that never end, on Tomcat as it comes and with a small heap: the application and other
 * operators are served beside them.
 */
class UnfinishedRequestsTest {

    private static final String TOKEN = "operate-token-0123456789";
    private static final int BODY = 2 * 1024 * 1024;
    private static final String STARTED = "started";

    @TempDir
    Path directory;

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
            })
    @Import({OpenToAll.class, Pages.class})
    public static class Application {

        public static void main(String[] args) {
            ChildJvm.endWithParent();
            new SpringApplicationBuilder(Application.class).run(args);
            System.out.println(STARTED);
        }
    }

    /** What the application serves itself. */
    @RestController
    public static class Pages {

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }

    private final List<Socket> sockets = new ArrayList<>();
    private int port;

    private Socket send(String head, int bodyBytes) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(socket);
        socket.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
        OutputStream out = socket.getOutputStream();
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        byte[] part = new byte[64 * 1024];
        try {
            for (int sent = 0; sent < bodyBytes; sent += part.length) {
                out.write(part, 0, Math.min(part.length, bodyBytes - sent));
            }
        } catch (IOException e) {
            // the server does not want to hear the rest
        }
        return socket;
    }

    private static String post(String token, int length) {
        return "POST /outbox-admin/api/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "Content-Length: " + length + "\r\n\r\n";
    }

    private static String statusLine(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c >= 0 && c != '\r';
                c = socket.getInputStream().read()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }

    private String answered(String method, String path) throws IOException {
        long begin = System.nanoTime();
        Socket socket = send(
                method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                        + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                0);
        String status = statusLine(socket);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).as(path).isLessThan(Duration.ofSeconds(10));
        return status;
    }

    private void assertAllAreServed() throws IOException {
        assertThat(answered("GET", "/hello")).isEqualTo("HTTP/1.1 200");
        assertThat(answered("GET", "/outbox-admin/api/overview")).isEqualTo("HTTP/1.1 200");
        assertThat(answered("POST", "/outbox-admin/api/delivery/pause")).isEqualTo("HTTP/1.1 204");
    }

    @Test
    void harmNobodyElse() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        try (ChildJvm application = ChildJvm.start(
                Application.class,
                directory,
                "spring.main.web-application-type=servlet",
                "server.port=" + port,
                "spring.datasource.url=jdbc:h2:mem:unfinished",
                "outbox.admin.enabled=true",
                "outbox.admin.token=" + TOKEN)) {
            application.awaitLine(STARTED);
            assertAllAreServed();
            for (int i = 0; i < 200; i++) {
                send(post(null, BODY), i % 4 == 0 ? BODY - 10 : 1);
            }
            for (int i = 0; i < 50; i++) {
                send("POST /outbox-admin/api/bulk HT", 0);
            }
            assertAllAreServed();

            for (int i = 0; i < 200; i++) {
                send(post(TOKEN, 50_000), 49_000);
            }
            assertAllAreServed();

            Socket refused = send(post(null, 1000), 1);
            assertThat(statusLine(refused)).isEqualTo("HTTP/1.1 401");
            refused.getInputStream().readAllBytes(); // the end
            for (int i = 0; i < 20; i++) {
                assertThat(statusLine(send(post(null, 60_000), 60_000))).isEqualTo("HTTP/1.1 401");
            }
            application.requireAlive();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
