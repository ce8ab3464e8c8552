package io.outbox.admin;

import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.model.ClusterFigures;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxStatus;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Gives a shop a past: hours of deliveries, thousands of events, some that failed, and some that wait. */
final class Trade {

    private static final int EVENTS = 3000;
    private static final List<String> TENANTS = List.of("acme", "globex", "initech");
    private static final List<String> ERRORS = List.of(
            "HTTP 503 from https://payments.internal/capture: upstream connect error after 2000 ms",
            "Customer 'c-4711' has no address of mail",
            "Timeout after 5000 ms while waiting for the broker's confirmation",
            "Unknown currency 'XBT' in line 3");

    /** How many events fail with each of them. */
    private static final List<Integer> FAILING = List.of(64, 38, 22, 7);

    private final Random random = new Random(42);
    private Shop shop;

    private Trade() {}

    static Shop open() {
        return new Trade().begin();
    }

    private Shop begin() {
        shop = Shop.Setup.usual()
                .with(settings -> settings.traceUrl("https://traces.example/trace/{traceId}"))
                .open();
        List<String> delayed = shop.writeAll(delayed());
        shop.writeAll(failing());
        shop.writeAll(past());
        for (int i = 0; i < 40; i++) {
            shop.lock(delayed.get(i), i < 25 ? "shop-7d9f6c-b2kx4" : "shop-7d9f6c-p8m2q");
        }
        await().atMost(Duration.ofSeconds(60)).until(this::isSettled);
        operate();
        live();
        return shop;
    }

    /** Returns whether all is delivered, dead or waiting, so that nothing disturbs the past that is made up next. */
    private boolean isSettled() {
        long dead = shop.outbox.deadLetters().orElseThrow().counts().stream()
                .mapToLong(DeadLetterCount::count)
                .sum();
        OutboxStatus status = shop.outbox.status();
        return dead == FAILING.stream().mapToInt(Integer::intValue).sum()
                && !status.unavailable().isEmpty()
                && status.pending().stream()
                        .allMatch(pending -> pending.eventType().equals(Shop.OTHER_LANE));
    }

    private void operate() {
        String letter = shop.outbox
                .deadLetters()
                .orElseThrow()
                .query(DeadLetterQuery.matching(DeadLetterFilter.of(DlqStatus.MOVED, "CustomerNotified", null), 1))
                .items()
                .get(0)
                .eventId();
        shop.act("ann@shop.example", "types/" + Shop.LANE + "/pause", "");
        shop.act("ann@shop.example", "types/" + Shop.LANE + "/resume", "");
        shop.act("ben@shop.example", "events/" + letter + "/resolve", "");
        shop.act(
                "ben@shop.example",
                "bulk",
                "{\"action\":\"resolve\",\"filter\":{\"eventType\":\"OrderPlaced\",\"error\":\"currency\"}}");
    }

    /** A week of three nodes: days and nights, with outages in them. */
    private void live() {
        ClusterBackend cluster =
                shop.outbox.inspection().orElseThrow().cluster().orElseThrow();
        long minute = Instant.now().getEpochSecond() / 60;
        for (String node : List.of("shop-7d9f6c-b2kx4", "shop-7d9f6c-p8m2q", "shop-7d9f6c-w5t9z")) {
            cluster.join(
                    node,
                    node,
                    "{\"host\":\"10.4.0." + node.length()
                            + "\",\"version\":\"0.1.0\",\"state\":\"RUNNING\",\"clock\":\""
                            + Instant.now() + "\",\"hot\":3,\"cold\":1,\"perSecond\":" + (10 + random.nextInt(9))
                            + ".5,\"paused\":[],\"unavailable\":[]}");
            for (long i = 370; i > 0; i--) {
                cluster.addFigures(new ClusterFigures(
                        node, node, 1, minute - i, figures(minute - i, 1).json()));
            }
            for (long i = 7 * 96; i > 0; i--) {
                long quarter = minute / 15 - i;
                cluster.addFigures(new ClusterFigures(
                        node, node, 15, quarter, figures(quarter * 15, 15).json()));
            }
        }
    }

    private Figures figures(long minute, int minutes) {
        Figures figures = new Figures();
        double day = Math.sin(minute * 2 * Math.PI / (24 * 60)) * 0.4 + 1;
        boolean isOutage = minute % 190 > 30 && minute % 190 < 40;
        for (String type : Shop.TYPES) {
            Figures.OfType ofType = figures.of(type);
            int done = (int) (minutes * day * (isOutage ? 8 : 45) + random.nextInt(12));
            for (int i = 0; i < done; i++) {
                ofType.addDone();
                if (i % 10 == 0) {
                    ofType.waits().add(6 + random.nextInt(i % 50 == 0 ? 90 : 12) + (isOutage ? 300 : 0));
                }
            }
            for (int i = isOutage ? minutes * (4 + random.nextInt(5)) : random.nextInt(20) == 0 ? 2 : 0; i > 0; i--) {
                ofType.addFailed();
            }
        }
        figures.lag(isOutage ? minute % 190 * 900 : random.nextInt(900));
        figures.queues((int) (day * 4) + (isOutage ? 60 : 0), random.nextInt(6) + (isOutage ? 25 : 0));
        return figures;
    }

    private EventEnvelope.Builder event(int i) {
        String type = Shop.TYPES.get(random.nextInt(Shop.TYPES.size()));
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId(String.format("order-%06d", 104_000 + i))
                .tenantId(TENANTS.get(i % TENANTS.size()))
                .headers(Map.of("traceparent", "00-%032x-%016x-01".formatted(random.nextLong(), random.nextLong())))
                .payloadJson(payload(i));
    }

    private String payload(int i) {
        return String.format(
                Locale.ROOT,
                "{\"orderId\":\"order-%06d\",\"customer\":{\"id\":\"c-%d\",\"name\":\"Ada Lovelace\",\"isPremium\":true},"
                        + "\"lines\":[{\"sku\":\"SKU-%d\",\"quantity\":%d,\"price\":%.2f},"
                        + "{\"sku\":\"SKU-77\",\"quantity\":1,\"price\":4.90}],\"currency\":\"EUR\",\"note\":null}",
                104_000 + i,
                1000 + i,
                random.nextInt(900),
                1 + random.nextInt(4),
                5 + random.nextInt(9000) / 100.0);
    }

    private List<EventEnvelope> past() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            EventEnvelope.Builder event = event(i);
            events.add(i % 450 == 446 ? event.header(Shop.LATER, ERRORS.get(2)).build() : event.build());
        }
        return events;
    }

    private List<EventEnvelope> failing() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int kind = 0; kind < FAILING.size(); kind++) {
            for (int i = 0; i < FAILING.get(kind); i++) {
                String type = List.of("PaymentCaptured", "CustomerNotified", "OrderPlaced", "OrderPlaced")
                        .get(kind);
                events.add(event(EVENTS + i).build().toBuilder()
                        .header(Shop.ERROR, ERRORS.get(kind))
                        .build()
                        .withEventType(type));
            }
        }
        for (int i = 0; i < 18; i++) {
            events.add(event(EVENTS + 500 + i)
                    .header(Shop.UNREACHABLE, "Connection refused: invoices.internal/10.4.0.17:5672")
                    .build()
                    .withEventType(Shop.OTHER_LANE));
        }
        return events;
    }

    private List<EventEnvelope> delayed() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            events.add(event(EVENTS + 1000 + i)
                    .deliverAfter(Duration.ofMinutes(20 + i))
                    .build());
        }
        return events;
    }
}
