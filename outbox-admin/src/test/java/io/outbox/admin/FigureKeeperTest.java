package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.model.ClusterFigures;
import io.outbox.model.EventStatus;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a node keeps of its figures. */
class FigureKeeperTest {

    @Test
    void aMinuteThatIsKeptAgainAfterAFailureCountsOnce() {
        ClusterBackend memory = new MemoryCluster(Clock.systemUTC());
        AtomicBoolean fails = new AtomicBoolean(true);
        ClusterBackend failing = (ClusterBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClusterBackend.class}, (proxy, method, args) -> {
                    if (args[0] instanceof ClusterFigures row && row.span() == FigureKeeper.QUARTER && fails.get()) {
                        throw new IllegalStateException("no answer");
                    }
                    return method.invoke(memory, args);
                });
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        series.recordOutcome("Placed", EventStatus.DONE);
        List<OutboxSeries.Minute> minutes = series.takeAll();
        FigureKeeper keeper = new FigureKeeper(failing, "id", "shop-1");
        assertThatThrownBy(() -> keeper.keep(minutes)).hasMessage("no answer");
        fails.set(false);

        keeper.keep(List.of());

        assertThat(memory.figures(FigureKeeper.QUARTER, 0))
                .extracting(row -> Figures.parse(row.content()).known("Placed").done())
                .containsExactly(1L);
    }
}
