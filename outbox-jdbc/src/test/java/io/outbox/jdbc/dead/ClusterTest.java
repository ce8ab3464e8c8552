package io.outbox.jdbc.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.ClusterFigures;
import io.outbox.model.ClusterNode;
import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.ClusterBackend.Watch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What nodes on one outbox table know of each other. */
class ClusterTest {

    private static final Watch NOTHING_ELSE = new Watch("pauses", 1, "JOB", Instant.EPOCH);

    private static ClusterBackend cluster(HikariDataSource pool, String table) {
        return JdbcOutbox.of(pool, table)
                .store()
                .housekeeping(new DataSourceConnectionProvider(pool), (conn, before, limit) -> 0)
                .inspection()
                .orElseThrow()
                .cluster()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void nodesJoinBeatAndLeave(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            ClusterBackend cluster = cluster(pool, "outbox_event");
            cluster.prepare();
            assertThat(cluster.save(new ClusterRecord("pauses", "PAUSES", "{}")))
                    .isTrue();
            Instant joined = cluster.join("1", "shop-1", "first");
            cluster.join("2", "shop-2", "x");

            assertThat(cluster.beat("1", "second", NOTHING_ELSE)).isTrue();
            assertThat(cluster.beat("3", "unknown", NOTHING_ELSE)).isFalse();

            List<ClusterNode> nodes = cluster.nodes();
            assertThat(nodes).extracting(ClusterNode::name).containsExactly("shop-1", "shop-2");
            assertThat(nodes.get(0).report()).isEqualTo("second");
            assertThat(nodes.get(0).startedAt()).isBetween(joined.minusSeconds(60), joined);
            assertThat(nodes.get(0).silentFor()).isLessThan(Duration.ofMinutes(1));

            cluster.join("1", "shop-1", "third");
            assertThat(cluster.nodes()).hasSize(2);
            cluster.leave("1");
            assertThat(cluster.nodes()).extracting(ClusterNode::id).containsExactly("2");
            assertThat(cluster.forgetNodes(joined.minusSeconds(1))).isZero();
            assertThat(cluster.forgetNodes(joined.plusSeconds(600))).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBeatTellsOfWhatHasChangedAndOfWhatNobodyLooksAfter(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            ClusterBackend cluster = cluster(pool, "outbox_event");
            cluster.prepare();
            cluster.save(new ClusterRecord("pauses", "PAUSES", "{}"));
            Instant now = cluster.join("1", "shop-1", "x");
            ClusterRecord pauses = cluster.record("pauses").orElseThrow();

            assertThat(cluster.save(pauses.with("PAUSES", "{\"all\":true}"))).isTrue();
            assertThat(cluster.beat("1", "x", NOTHING_ELSE)).isFalse();
            Watch newer = new Watch("pauses", 2, "JOB", now);
            assertThat(cluster.beat("1", "x", newer)).isTrue();

            cluster.save(new ClusterRecord("job", "JOB", "work"));
            assertThat(cluster.beat("1", "x", newer))
                    .as("a job that somebody has just touched")
                    .isTrue();
            Watch later = new Watch("pauses", 2, "JOB", now.plusSeconds(600));
            assertThat(cluster.beat("1", "x", later))
                    .as("a job that nobody touches")
                    .isFalse();
            ClusterRecord job = cluster.record("job").orElseThrow();
            cluster.save(job.with("ENDED", "work"));
            assertThat(cluster.beat("1", "x", later)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneOfSeveralChangesOfTheSameRevisionIsSaved(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 8)) {
            ClusterBackend cluster = cluster(pool, "outbox_event");
            cluster.prepare();

            assertThat(IntStream.range(0, 8)
                            .parallel()
                            .filter(i -> cluster.save(new ClusterRecord("job", "JOB", "by " + i)))
                            .count())
                    .isOne();
            ClusterRecord known = cluster.record("job").orElseThrow();
            assertThat(known.revision()).isOne();
            assertThat(IntStream.range(0, 8)
                            .parallel()
                            .filter(i -> cluster.save(known.with("JOB", "again by " + i)))
                            .count())
                    .isOne();

            assertThat(cluster.remove(known)).isFalse();
            ClusterRecord newest = cluster.records("JOB").get(0);
            assertThat(newest.content()).startsWith("again by ");
            assertThat(newest.untouchedFor()).isLessThan(Duration.ofMinutes(1));
            assertThat(cluster.remove(newest)).isTrue();
            assertThat(cluster.record("job")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void figuresAreAddedReplacedAndPurged(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            ClusterBackend cluster = cluster(pool, "outbox_event");
            cluster.prepare();
            cluster.addFigures(figures("a", 1, 10, "old"));
            cluster.addFigures(figures("a", 1, 10, "sent again"));
            cluster.replaceFigures(figures("b", 1, 11, "first"));
            cluster.replaceFigures(figures("b", 1, 11, "newer"));
            cluster.addFigures(figures("a", 15, 11, "of a quarter"));

            assertThat(cluster.figures(1, 10))
                    .containsExactly(figures("a", 1, 10, "sent again"), figures("b", 1, 11, "newer"));
            assertThat(cluster.figures(1, 11)).hasSize(1);
            assertThat(cluster.purgeFigures(1, 11)).isOne();
            assertThat(cluster.figures(1, 0)).hasSize(1);
            assertThat(cluster.figures(15, 0)).hasSize(1);
        }
    }

    private static ClusterFigures figures(String node, int span, long slot, String content) {
        return new ClusterFigures(node, "shop-" + node, span, slot, content);
    }

    @Test
    void tablesAreNamedAfterThatOfTheOutboxAndCheckedAsItIs() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2)) {
            ClusterBackend cluster = cluster(pool, "orders");
            cluster.prepare();
            cluster.prepare();
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM orders_node"))
                    .isZero();

            OutboxRows.execute(pool, "ALTER TABLE orders_control DROP COLUMN revision");
            assertThatThrownBy(cluster::prepare)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("orders_control cannot be used")
                    .hasMessageContaining("column revision is missing")
                    .hasMessageContaining("schema/h2-control.sql");
        }
    }
}
