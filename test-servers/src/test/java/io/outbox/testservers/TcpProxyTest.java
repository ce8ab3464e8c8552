package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpProxyTest {

    private ServerSocket echo;
    private TcpProxy proxy;

    @BeforeEach
    void start() throws IOException {
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        startDaemon(this::acceptEchoes);
        proxy = TcpProxy.start(echo.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    @Test
    void forwardsBothWaysAndPassesTheEndOn() throws IOException {
        try (Socket client = connect()) {
            client.getOutputStream().write("hello".getBytes());
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).isEqualTo("hello".getBytes());
        }
    }

    @Test
    void delaysEachDirection() throws IOException {
        try (Socket client = connect()) {
            assertThat(echoed(client, 1)).isEqualTo(1);
            proxy.delay(Duration.ofMillis(100));

            long start = System.nanoTime();
            assertThat(echoed(client, 2)).isEqualTo(2);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    /** Ten pieces, each sent 20 ms after the one before: what arrives late has been under way together. */
    @Test
    void overADistanceEverythingArrivesLaterAndInOrderAndTheEndIsPassedOn() throws IOException {
        proxy.distance(Duration.ofMillis(100));
        try (Socket client = connect()) {
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                client.getOutputStream().write(i);
                client.getOutputStream().flush();
                await().pollDelay(Duration.ofMillis(20)).until(() -> true);
            }
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(200))
                    .isLessThan(Duration.ofMillis(2_000));
        }
    }

    @Test
    void isSilentWhileStalledAndDeliversAfterwards() throws IOException {
        try (Socket client = connect()) {
            proxy.stall();
            client.setSoTimeout(200);
            assertThatThrownBy(() -> echoed(client, 7)).isInstanceOf(SocketTimeoutException.class);

            proxy.resume();

            client.setSoTimeout(5_000);
            assertThat(client.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void passesRequestsOnWhileAnswersAreStalled() throws IOException {
        try (ServerSocket target = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                TcpProxy lateProxy = TcpProxy.start(target.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), lateProxy.port());
                Socket server = target.accept()) {
            lateProxy.stallAnswers();
            client.getOutputStream().write(7);
            assertThat(server.getInputStream().read()).isEqualTo(7);
            server.getOutputStream().write(8);
            client.setSoTimeout(200);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

            lateProxy.resume();

            client.setSoTimeout(5_000);
            assertThat(client.getInputStream().read()).isEqualTo(8);
        }
    }

    @Test
    void resetsOpenConnectionsAlsoWhileStalled() throws IOException {
        try (Socket flowing = connect();
                Socket stalled = connect()) {
            assertThat(echoed(flowing, 1)).isEqualTo(1);
            assertThat(echoed(stalled, 1)).isEqualTo(1);
            proxy.stall();
            stalled.getOutputStream().write(2);

            proxy.resetAll();

            assertThatThrownBy(() -> flowing.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> stalled.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        proxy.resume();
        try (Socket client = connect()) {
            assertThat(echoed(client, 3)).isEqualTo(3);
        }
    }

    @Test
    void refusesNewConnectionsAndKeepsOpenOnes() throws IOException {
        try (Socket open = connect()) {
            assertThat(echoed(open, 1)).isEqualTo(1);

            proxy.refuse();

            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThat(echoed(open, 2)).isEqualTo(2);
            proxy.accept();
            try (Socket client = connect()) {
                assertThat(echoed(client, 3)).isEqualTo(3);
            }
        }
    }

    @Test
    void noConnectionThatIsBeingMadeSurvivesARefusalAndAReset() throws IOException {
        for (int round = 0; round < 300; round++) {
            try (Socket first = connect();
                    Socket second = connect()) {
                proxy.refuse();
                proxy.resetAll();

                for (Socket client : List.of(first, second)) {
                    client.setSoTimeout(2_000);
                    assertThatThrownBy(() -> client.getInputStream().read())
                            .as("round %s", round)
                            .isInstanceOf(SocketException.class);
                }
            }
            proxy.accept();
        }
    }

    @Test
    void resetsAClientWhoseTargetIsDown() throws IOException {
        echo.close();

        try (Socket client = connect()) {
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private static int echoed(Socket client, int value) throws IOException {
        client.getOutputStream().write(value);
        return client.getInputStream().read();
    }

    private void acceptEchoes() {
        try {
            while (true) {
                Socket socket = echo.accept();
                startDaemon(() -> echo(socket));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException reset) {
            // the test cut it
        }
    }

    private static void startDaemon(Runnable work) {
        Thread thread = new Thread(work, "echo");
        thread.setDaemon(true);
        thread.start();
    }
}
