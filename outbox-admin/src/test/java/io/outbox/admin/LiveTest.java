package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.testservers.support.LogLines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Live updates of the dashboard. */
@Timeout(120)
class LiveTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    /** Returns what the stream tells until the end of its next event, heartbeats left out. */
    private static String nextEvent(InputStream stream) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = stream.read(); c >= 0; c = stream.read()) {
            text.append((char) c);
            if (text.toString().endsWith("\n\n")) {
                if (!text.toString().startsWith(":")) {
                    return text.toString();
                }
                text.setLength(0);
            }
        }
        return text.toString();
    }

    @Test
    void aStreamTellsWhatIsNew() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters();
                InputStream stream = fixture.stream(BASE + "/live").body()) {
            assertThat(update(stream).keySet()).containsExactly("overview");
            fixture.write(3);

            long counted;
            do {
                counted = update(stream)
                        .getAsJsonObject("overview")
                        .getAsJsonObject("counts")
                        .get("NEW")
                        .getAsLong();
            } while (counted < 3);
            assertThat(counted).isEqualTo(3);
        }
    }

    private static JsonObject update(InputStream stream) throws IOException {
        String[] lines = nextEvent(stream).split("\n");
        assertThat(lines[0]).isEqualTo("event: update");
        assertThat(lines[1]).startsWith("data: ");
        return JsonParser.parseString(lines[1].substring("data: ".length())).getAsJsonObject();
    }

    @Test
    void isForWhoMayRead() {
        try (AdminFixture fixture =
                AdminFixture.withDeadLetters(builder -> builder.readToken("read-token-0123456789"))) {
            assertThat(fixture.get(BASE + "/live").status()).isEqualTo(401);
            var answer = fixture.stream(BASE + "/live", "Authorization", "Bearer read-token-0123456789");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream");
            assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        }
    }

    @Test
    void streamsAreLimitedHoldNoThreadOfTheServerAndMakeRoomWhenTheyAreLeft() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            List<InputStream> streams = new ArrayList<>();
            for (int i = 0; i < LiveFeed.MOST_STREAMS; i++) {
                InputStream stream = fixture.stream(BASE + "/live").body();
                update(stream);
                streams.add(stream);
            }
            var refused = fixture.get(BASE + "/live");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.object().get("type").getAsString()).endsWith("too-many-streams");
            assertThat(fixture.get(BASE + "/overview").status()).isEqualTo(200);

            streams.get(0).close();
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                var answer = fixture.stream(BASE + "/live");
                answer.body().close();
                assertThat(answer.statusCode()).isEqualTo(200);
            });
        }
    }

    @Test
    void streamsEndWithTheAdministration() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters();
                InputStream stream = fixture.stream(BASE + "/live").body()) {
            update(stream);
            fixture.admin.close();
            readToItsEnd(stream);
            assertThat(fixture.get(BASE + "/live").status()).isEqualTo(503);
        }
    }

    @Test
    void streamsEndWhenTheStoreFailsSoThatViewersAskAndAreToldWhy() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters();
                InputStream stream = fixture.stream(BASE + "/live").body()) {
            update(stream);
            fixture.pool().close();
            readToItsEnd(stream);
            assertThat(fixture.get(BASE + "/overview").status()).isEqualTo(503);
        }
    }

    /** Returns when the stream is over. */
    private static void readToItsEnd(InputStream stream) throws IOException {
        stream.readAllBytes();
    }

    /** An output whose writes wait until they may go on. */
    private static final class Stalled extends OutputStream {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final BlockingQueue<String> written = new LinkedBlockingQueue<>();

        @Override
        public void write(int b) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            written.add(new String(bytes, StandardCharsets.UTF_8));
        }

        String next() throws InterruptedException {
            return written.poll(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void whoCannotKeepUpIsToldTheLatestAndHoldsUpNobody() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        try (LiveFeed feed =
                new LiveFeed(looks::incrementAndGet, new LiveFeed.Pace(Duration.ofMillis(1), LONG, LONG))) {
            Stalled slow = new Stalled();
            Stalled quick = new Stalled();
            quick.goOn.countDown();
            feed.start(slow, () -> {});
            slow.begun.await();
            feed.start(quick, () -> {});
            await().atMost(Duration.ofSeconds(60)).until(() -> quick.written.size() > 20);
            int known = looks.get();
            slow.goOn.countDown();

            assertThat(number(slow.next())).isLessThan(known);
            assertThat(number(slow.next())).isGreaterThanOrEqualTo(known - 1);
        }
    }

    private static int number(String event) {
        return Integer.parseInt(event.replaceAll("\\D", ""));
    }

    @Test
    void silenceIsFilledWithHeartbeatsAndNoStreamLastsForEver() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        try (LiveFeed feed =
                new LiveFeed(() -> 1, new LiveFeed.Pace(LONG, Duration.ofMillis(50), Duration.ofMillis(500)))) {
            Stalled viewer = new Stalled();
            viewer.goOn.countDown();
            feed.start(viewer, ended::countDown);

            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(viewer.written).contains("event: update\ndata: 1\n\n", ":\n\n");
            assertThat(feed.hasRoom()).isTrue();
        }
    }

    @Test
    void whoWaitsForAStoreThatDoesNotAnswerIsTold() throws InterruptedException {
        CountDownLatch answers = new CountDownLatch(1);
        try (LiveFeed feed = new LiveFeed(() -> held(answers), new LiveFeed.Pace(LONG, Duration.ofMillis(20), LONG))) {
            Stalled viewer = new Stalled();
            viewer.goOn.countDown();
            feed.start(viewer, () -> {});
            String told = viewer.next();
            while (told.startsWith(":")) {
                told = viewer.next();
            }
            assertThat(told).startsWith("event: late\ndata: {\"waitedMs\":");
            answers.countDown();
            await().atMost(Duration.ofSeconds(60)).until(() -> viewer.next().startsWith("event: update"));
            await().atMost(Duration.ofSeconds(60)).until(() -> viewer.next().equals(":\n\n"));
        }
    }

    @Test
    void anOutageIsLoudOnceHoweverOftenViewersComeBack() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        LiveFeed.Pace pace = new LiveFeed.Pace(LONG, LONG, LONG);
        try (LogLines log = new LogLines(LiveFeed.class);
                LiveFeed feed = new LiveFeed(() -> failsTwice(looks), pace)) {
            for (int i = 0; i < 2; i++) {
                CountDownLatch ended = new CountDownLatch(1);
                feed.start(new Stalled(), ended::countDown);
                assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
            }
            Stalled viewer = new Stalled();
            viewer.goOn.countDown();
            feed.start(viewer, () -> {});
            assertThat(viewer.next()).startsWith("event: update");

            assertThat(log.at(Level.WARNING)).hasSize(1);
            assertThat(log.at(Level.INFO)).hasSize(1);
        }
    }

    private static int failsTwice(AtomicInteger looks) {
        if (looks.incrementAndGet() <= 2) {
            throw new IllegalStateException("no store");
        }
        return looks.get();
    }

    private static int held(CountDownLatch answers) {
        try {
            answers.await();
            return 1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nobodyLooksWhileNobodyListens() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(1);
        try (LiveFeed feed = new LiveFeed(
                looks::incrementAndGet, new LiveFeed.Pace(Duration.ofMillis(1), LONG, Duration.ofMillis(1)))) {
            Stalled viewer = new Stalled();
            viewer.goOn.countDown();
            feed.start(viewer, ended::countDown);
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();

            // The look that was under way is the last one.
            int known = looks.get();
            await().atMost(Duration.ofSeconds(60))
                    .during(Duration.ofMillis(200))
                    .until(() -> looks.get() <= known + 1);
        }
    }
}
