package io.outbox.testing.contract;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lane whose listener hangs holds up no events of other lanes that keep their order. */
class KeyedLaneIsolationTest extends InMemoryOutboxTest {

    private static final String BLOCKED = "Blocked";
    private static final String LANED = "Laned";
    private static final String SHARED = "Shared";

    private void register(String blocked, List<String> others) {
        registry.register(blocked, event -> {
            new CountDownLatch(1).await();
            return DispatchResult.done();
        });
        others.forEach(type -> registry.register(type, deliveries.succeeding()));
    }

    private Outbox.AbstractBuilder<?> keyed(Mode mode) {
        return outbox(mode)
                .ordering(Ordering.byKey())
                .lane(BLOCKED, LanePolicy.builder().concurrency(2).build())
                .lane(LANED, LanePolicy.builder().build());
    }

    private static List<EventEnvelope> events(String type, int keys, int eventsOfEach) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < keys * eventsOfEach; i++) {
            events.add(EventEnvelope.builder(type)
                    .aggregateId(type + i % keys)
                    .payloadJson("{}")
                    .build());
        }
        return events;
    }

    private void writeBefore(List<EventEnvelope> events) {
        try (Outbox writer =
                Outbox.writerOnly().backend(backend).ordering(Ordering.byKey()).build()) {
            backend.inTransaction(() -> writer.writer().writeAll(events));
        }
    }

    @ParameterizedTest
    @EnumSource
    void fewDeepKeysOfABlockedLaneDelayNoOther(Mode mode) {
        blockedDelaysNoOther(mode, BLOCKED, List.of(LANED, SHARED), 20, 60);
    }

    @ParameterizedTest
    @EnumSource
    void manyKeysOfABlockedLaneDelayNoOther(Mode mode) {
        blockedDelaysNoOther(mode, BLOCKED, List.of(LANED, SHARED), 1_100, 1);
    }

    @ParameterizedTest
    @EnumSource
    void fewDeepKeysOfABlockedSharedLaneDelayNoOther(Mode mode) {
        blockedDelaysNoOther(mode, SHARED, List.of(LANED), 20, 60);
    }

    @ParameterizedTest
    @EnumSource
    void manyKeysOfABlockedSharedLaneDelayNoOther(Mode mode) {
        blockedDelaysNoOther(mode, SHARED, List.of(LANED), 1_100, 1);
    }

    /** What was there before, what nobody tells of, and what is written here. */
    private void blockedDelaysNoOther(Mode mode, String blocked, List<String> others, int keys, int eventsOfEach) {
        register(blocked, others);
        List<EventEnvelope> expected = new ArrayList<>();
        writeBefore(events(blocked, keys, eventsOfEach));
        others.forEach(type -> expected.addAll(events(type, 25, 1)));
        writeBefore(expected);

        Outbox outbox = open(keyed(mode).intervalMs(100));
        awaitDeliveredOnce(EngineRules.ids(expected));

        write(outbox, events(blocked, keys, 1));
        List<EventEnvelope> hot = new ArrayList<>();
        others.forEach(type -> hot.addAll(events(type, 50, 1)));
        write(outbox, hot);
        List<EventEnvelope> ofOthers = new ArrayList<>();
        others.forEach(type -> ofOthers.addAll(events(type, 25, 2)));
        writeBefore(ofOthers);

        awaitDeliveredOnce(all(EngineRules.ids(expected), EngineRules.ids(hot), EngineRules.ids(ofOthers)));
    }
}
