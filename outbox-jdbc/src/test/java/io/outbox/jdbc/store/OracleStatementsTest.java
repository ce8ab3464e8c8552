package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.AuditEntry;
import io.outbox.model.ClusterFigures;
import io.outbox.model.ClusterRecord;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.Tally;
import io.outbox.oraclestandin.OracleStandIn;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueType;
import io.outbox.spi.EventFilter;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sends each kind of statement that delivery, purges and operators need to a database that takes only what Oracle's
 * grammar and rules allow. Its answers are not Oracle's.
 */
class OracleStatementsTest {

    private static final Instant TIME = Instant.parse("2025-06-01T12:00:00Z");
    private static final Lease LEASE = new Lease("node-1", Duration.ofMinutes(5));

    private HikariDataSource pool;
    private Connection conn;
    private AbstractJdbcOutboxStore store;
    private DeliveryBackend delivery;

    @BeforeEach
    void open() throws SQLException {
        pool = TestDatabase.pool(OracleStandIn.newDatabase(), 4);
        store = JdbcOutbox.of(pool).createSchema().validateSchema().store();
        conn = pool.getConnection();
        delivery = delivery(store, conn);
    }

    @AfterEach
    void close() throws SQLException {
        conn.close();
        pool.close();
    }

    @AfterAll
    static void oracleWouldTakeEveryStatement() {
        assertThat(OracleStandIn.sent()).hasSizeGreaterThan(50);
        assertThat(OracleStandIn.refused()).isEmpty();
    }

    private static EventEnvelope event(int i) {
        return EventEnvelope.builder("Type" + i % 3)
                .aggregateId("a-" + i)
                .occurredAt(TIME.plusSeconds(i))
                .payloadJson("{\"n\":" + i + "}")
                .build();
    }

    private List<String> write(int count, String owner) {
        List<NewEvent> events = IntStream.range(0, count)
                .mapToObj(i -> new NewEvent(event(i), owner))
                .toList();
        store.insert(conn, events);
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "name-" + i).toList();
    }

    @Test
    void theStoreIsFoundByTheUrlAndByTheMetadata() {
        assertThat(store).isInstanceOf(OracleOutboxStore.class);
        assertThat(JdbcOutboxStores.detect("jdbc:oracle:thin:@//db.example.com:1521/ORCL"))
                .isInstanceOf(OracleOutboxStore.class);
    }

    @Test
    void eventsAreClaimedRenewedReleasedAndFinished() {
        List<String> ids = write(6, null);

        assertThat(delivery.claim(ClaimRequest.first(LEASE, Instant.now(), 4)).events())
                .hasSize(4);
        assertThat(delivery.renew("node-1", ids)).hasSize(4);
        assertThat(delivery.release("node-1", ids.subList(3, 6))).isEqualTo(1);
        assertThat(delivery.apply(
                        "node-1",
                        List.of(
                                new Outcome.Done(ids.get(0), TIME),
                                new Outcome.Failed(ids.get(1), TIME, 0, 5, ""),
                                new Outcome.Dead(ids.get(2), "gone"))))
                .containsEntry(ids.get(0), EventStatus.DONE)
                .containsEntry(ids.get(1), EventStatus.RETRY)
                .containsEntry(ids.get(2), EventStatus.DEAD);
        assertThat(delivery.apply(null, List.of(new Outcome.Done(ids.get(3), TIME, false))))
                .hasSize(1);
        assertThat(delivery.doneAmong(ids)).containsExactly(ids.get(0));
        assertThat(delivery.oldestDueAt(Instant.now())).isPresent();
        assertThat(delivery.nextDueAt(Instant.now())).isEmpty();
    }

    @Test
    void anOutcomeWithAnEmptyErrorStandsWhenItIsWrittenAgain() {
        String id = write(1, "node-1").get(0);
        Outcome failed = new Outcome.Failed(id, TIME, 0, 5, "");

        assertThat(delivery.apply("node-1", List.of(failed))).containsEntry(id, EventStatus.RETRY);
        assertThat(delivery.apply("node-1", List.of(failed))).containsEntry(id, EventStatus.RETRY);
        assertThat(OutboxRows.all(pool).get(id).attempts()).isEqualTo(1);
    }

    @Test
    void noListIsLongerThanOracleTakes() {
        List<String> ids = write(3, null);
        ClaimRequest.Scope scope = new ClaimRequest.Scope(
                EventTypes.except(names(1500)),
                Duration.ZERO,
                true,
                new ClaimRequest.LostClaims(Set.copyOf(names(1200)), Set.copyOf(names(1100))));

        assertThat(delivery.claim(new ClaimRequest(LEASE, Instant.now(), scope, 10, null))
                        .events())
                .hasSize(3);
        assertThat(delivery.fetch(new FetchRequest(
                                Instant.now(), Duration.ZERO, new EventTypes(names(1500), false), 10, null))
                        .items())
                .isEmpty();
        assertThat(store.stored(conn, names(1500))).isEmpty();
        assertThat(store.stored(conn, ids)).hasSize(3);
    }

    @Test
    void typesAreLookedUpWithAndWithoutTheirIndex() {
        write(7, null);
        assertThat(delivery.lookByType(List.of(), TIME).types()).hasSize(3);

        OutboxSchema.of(pool).createLaneIndexIfMissing().createLaneIndexIfMissing();
        DeliveryBackend indexed = delivery(store.withTable("outbox_event"), conn);
        assertThat(indexed.lookByType(List.of(), TIME).types())
                .extracting(DueType::eventType)
                .containsExactly("Type0", "Type1", "Type2");
        assertThat(indexed.lookByType(List.of(new DueType("Type1", TIME)), TIME).types())
                .hasSize(3);
        assertThat(indexed.fetch(new FetchRequest(
                                Instant.now(),
                                Duration.ZERO,
                                new EventTypes(List.of("Type0", "Type2"), false),
                                10,
                                null))
                        .items())
                .hasSize(5);
    }

    @Test
    void pagesFollowEachOther() {
        List<String> ids = write(5, null);
        PageCursor next = delivery.fetch(FetchRequest.first(Instant.now(), 3)).next();

        assertThat(delivery.fetch(FetchRequest.first(Instant.now(), 3).after(next))
                        .items())
                .extracting(due -> due.event().eventId())
                .containsExactlyElementsOf(ids.subList(3, 5));
        assertThat(delivery.fetch(FetchRequest.first(Instant.now(), 9).after(delivery.placeOf(TIME)))
                        .items())
                .hasSize(5);
    }

    @Test
    void finishedEventsArePurgedBySlices() {
        List<String> ids = write(9, null);
        ids.subList(0, 4).forEach(id -> store.markDone(conn, id));
        ids.subList(4, 6).forEach(id -> store.markDead(conn, id, "gone"));
        Instant later = Instant.now().plusSeconds(60);

        assertThat(store.purger().purgeDone(conn, later, 3)).isEqualTo(3);
        assertThat(store.purger().purge(conn, later, 10)).isEqualTo(3);
        assertThat(store.ageBasedPurger().purge(conn, later, 10)).isEqualTo(3);
        assertThat(OutboxRows.all(pool)).isEmpty();
    }

    @Test
    void operatorsSearchCountReleaseAndLeaveATrace() {
        List<String> ids = write(6, "node-1");
        store.markDead(conn, ids.get(0), "Boom: 50% of it\n\tat com.example.Hidden");
        store.markDone(conn, ids.get(1));
        HousekeepingBackend housekeeping = housekeeping(store);
        InspectionBackend inspection = housekeeping.inspection().orElseThrow();

        assertThat(inspection.search(withError("50% OF"), null, 5).events()).hasSize(1);
        assertThat(inspection.search(withError("hidden"), null, 5).events()).isEmpty();
        assertThat(inspection.search(EventFilter.ALL, null, 4).next()).isNotNull();
        assertThat(inspection.search(states(EventStatus.NEW), ids.get(5), 2).events())
                .hasSize(2);
        assertThat(inspection.find(ids.get(2))).isPresent();
        assertThat(inspection.count(EventFilter.ALL)).isEqualTo(new Tally(6, true));
        assertThat(inspection.count(states(EventStatus.NEW)).count()).isEqualTo(4);
        EventFilter inPayload =
                new EventFilter(Set.of(), EventFilter.Scope.ALL, null, null, EventFilter.Failure.ANY, "nowhere");
        assertThat(inspection.search(inPayload, null, 5).events()).isEmpty();
        assertThat(housekeeping.lookUp(ids)).hasSize(6);
        assertThat(inspection.countByState()).containsEntry(EventStatus.NEW, 4).containsEntry(EventStatus.DEAD, 1);
        assertThat(inspection.open(Instant.now()).types()).hasSize(3);
        assertThat(inspection.nodes()).hasSize(1);
        assertThat(inspection.release(ids)).isEqualTo(4);
        assertThat(housekeeping.pending(Instant.now())).hasSize(3);
        assertThat(housekeeping.counts()).hasSize(3);
        inspection.prepareAudit();
        inspection.audit(new AuditEntry("1", TIME, "", "release", "", "x".repeat(5000)));
        assertThat(inspection.audits("2", 5))
                .singleElement()
                .satisfies(entry -> assertThat(entry.detail()).hasSize(5000));
    }

    private static EventFilter withError(String text) {
        return new EventFilter(Set.of(), EventFilter.Scope.ALL, null, null, new EventFilter.Failure(text, null));
    }

    private static EventFilter states(EventStatus... states) {
        return new EventFilter(Set.of(states), EventFilter.Scope.ALL, null, null, EventFilter.Failure.ANY);
    }

    @Test
    void nodesKnowOfEachOther() {
        ClusterBackend cluster =
                housekeeping(store).inspection().orElseThrow().cluster().orElseThrow();
        cluster.prepare();
        cluster.prepare();
        assertThat(cluster.save(new ClusterRecord("pauses", "PAUSES", "{}"))).isTrue();
        assertThat(cluster.save(new ClusterRecord("pauses", "PAUSES", "{}"))).isFalse();
        Instant joined = cluster.join("1", "shop-1", "x".repeat(5000));
        cluster.join("1", "shop-1", "first");

        assertThat(cluster.beat("1", "second", new ClusterBackend.Watch("pauses", 1, "JOB", joined)))
                .isTrue();
        assertThat(cluster.nodes()).hasSize(1);
        ClusterRecord pauses = cluster.record("pauses").orElseThrow();
        assertThat(cluster.save(pauses.with("PAUSES", "[]"))).isTrue();
        assertThat(cluster.remove(cluster.records("PAUSES").get(0))).isTrue();
        cluster.addFigures(new ClusterFigures("1", "shop-1", 1, 10, "a"));
        cluster.replaceFigures(new ClusterFigures("1", "shop-1", 1, 10, "b"));
        assertThat(cluster.figures(1, 0)).hasSize(1);
        assertThat(cluster.purgeFigures(1, 11)).isOne();
        cluster.leave("1");
        assertThat(cluster.forgetNodes(joined.plusSeconds(600))).isZero();
    }

    @Test
    void deadEventsAreFoundGroupedReplacedReturnedAndDeletedWhereTheyDied() {
        List<String> ids = write(5, null);
        ids.forEach(id -> store.markDead(conn, id, "Boom"));
        DeadEventBackend dead = housekeeping(store).deadEvents().orElseThrow();

        assertThat(dead.query(new DeadLetterQuery(anyLetter(null), 2, null)).items())
                .hasSize(2);
        assertThat(dead.query(new DeadLetterQuery(anyLetter("boom"), 9, null)).items())
                .hasSize(5);
        assertThat(dead.count(anyLetter("boom")).count()).isEqualTo(5);
        assertThat(dead.count(anyLetter(null)).count()).isEqualTo(5);
        assertThat(dead.countByState(100)).containsEntry(DlqStatus.MOVED, 5L);
        assertThat(dead.groups(5)).hasSize(3);
        assertThat(dead.replace(ids.get(0), event(7), "someone").isMade()).isTrue();
        assertThat(dead.returnToOutbox(ids.subList(1, 3)).isMade()).isTrue();
        assertThat(dead.delete(ids.subList(3, 5)).isMade()).isTrue();
        assertThat(store.countDead(conn, null)).isZero();
    }

    @Test
    void deadLettersAreMovedReadDecidedOnReturnedAndCleanedUp() {
        JdbcOutbox.of(pool).withDeadLetters().createSchema().validateSchema();
        DeadLetterStore letterStore = DeadLetterStore.of(store);
        DeliveryBackend deliveryWithLetters = delivery(letterStore, conn);
        List<String> ids = write(8, "node-1");
        deliveryWithLetters.apply(
                "node-1",
                ids.stream()
                        .map(id -> (Outcome) new Outcome.Failed(id, TIME, 0, id.equals(ids.get(7)) ? 5 : 1, "Boom"))
                        .toList());
        store.markDead(conn, ids.get(7), "Boom");
        HousekeepingBackend housekeeping = housekeeping(letterStore);
        DeadLetterBackend letters =
                housekeeping.deadEvents().flatMap(DeadEventBackend::queue).orElseThrow();

        assertThat(letters.moveDead(10, count -> {})).hasSize(1);
        assertThat(letters.query(new DeadLetterQuery(anyLetter(null), 3, null)).next())
                .isNotNull();
        assertThat(letters.query(new DeadLetterQuery(anyLetter("boom"), 9, null))
                        .items())
                .hasSize(8);
        assertThat(letters.count(anyLetter("boom")).count()).isEqualTo(8);
        assertThat(letters.count(null, "Type1")).isEqualTo(3);
        assertThat(letters.counts()).hasSize(3);
        assertThat(letters.list(DlqStatus.MOVED, 2, 3)).hasSize(3);
        assertThat(letters.list(null, 2, 3)).hasSize(3);
        assertThat(letters.groups(5)).hasSize(3);
        assertThat(letters.attempts(ids.get(0))).hasSize(1);
        assertThat(housekeeping.queryDead(new DeadQuery("Type1", null, 9, null)).items())
                .hasSize(3);
        assertThat(housekeeping.replayDead(List.of(ids.get(6)))).isEqualTo(1);
        assertThat(letters.change(ids.subList(0, 2), DlqStatus.TO_RETRY, "").isMade())
                .isTrue();
        assertThat(letters.returnApproved(10, count -> {}))
                .extracting(DeadLetter::eventId)
                .containsExactlyElementsOf(ids.subList(0, 2));
        assertThat(letters.replace(ids.get(2), event(9), "someone").isMade()).isTrue();
        assertThat(letters.delete(List.of(ids.get(3))).isMade()).isTrue();
        Instant later = Instant.now().plusSeconds(60);
        assertThat(letters.cleanUp(later, 10)).isEqualTo(1);
        assertThat(letters.cleanUpAttempts(later, 10)).isPositive();
    }

    private static DeadLetterFilter anyLetter(String error) {
        return new DeadLetterFilter(null, withError(error));
    }

    private HousekeepingBackend housekeeping(OwnershipStore of) {
        return of.housekeeping(new DataSourceConnectionProvider(pool), (c, before, limit) -> 0);
    }

    @Test
    void anEventThatIsStoredAlreadyIsNamed() {
        EventEnvelope event = event(1);
        store.insertNew(conn, event);

        assertThatThrownBy(() -> store.insertBatch(conn, List.of(event(2), event)))
                .isInstanceOf(DuplicateEventException.class);
    }

    @Test
    void anEmptyPayloadComesBackAndAnEmptyTenantIsNone() {
        store.insertNew(
                conn, EventEnvelope.builder("T").tenantId("").payloadJson("{}").build());
        OutboxRows.execute(pool, "UPDATE outbox_event SET payload = NULL");

        assertThat(store.pollPending(conn, Instant.now().plusSeconds(60), Duration.ZERO, 5))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.payloadJson()).isEmpty();
                    assertThat(row.tenantId()).isNull();
                });
    }

    @Test
    void aSessionWithAnotherOrderOfTextsIsRefusedWithTheRemedy() {
        OutboxRows.execute(pool, "INSERT INTO nls_session_parameters VALUES ('NLS_SORT', 'GERMAN')");

        assertThatThrownBy(() -> OutboxSchema.of(pool).validate())
                .isInstanceOf(OutboxSchemaException.class)
                .hasMessageContaining("NLS_SORT = GERMAN")
                .hasMessageContaining("ALTER SESSION SET NLS_COMP = BINARY NLS_SORT = BINARY");
    }

    @Test
    void aDatabaseWithoutUnicodeIsRefused() {
        OutboxRows.execute(pool, "INSERT INTO nls_database_parameters VALUES ('NLS_CHARACTERSET', 'WE8MSWIN1252')");

        assertThatThrownBy(() -> OutboxSchema.of(pool).validate()).hasMessageContaining("WE8MSWIN1252");
    }

    @Test
    void aColumnThatIsTooShortOrMissingIsNamedInTheWordsOfOracle() {
        OutboxRows.execute(
                pool,
                "ALTER TABLE outbox_event DROP COLUMN tenant_id",
                "ALTER TABLE outbox_event MODIFY (event_type VARCHAR2(20 CHAR))");

        assertThatThrownBy(() -> OutboxSchema.of(pool).validate())
                .hasMessageContaining("ALTER TABLE outbox_event ADD tenant_id VARCHAR2(64 CHAR)")
                .hasMessageContaining("ALTER TABLE outbox_event MODIFY (event_type VARCHAR2(128 CHAR))");
    }

    @Test
    void noNameOfTheScriptsIsLongerThanThirtySigns() {
        assertThat(OutboxSchema.of(pool).statements().stream()
                        .flatMap(sql -> List.of(sql.split("[^A-Za-z_0-9]+")).stream())
                        .filter(word -> word.length() > 30)
                        .collect(Collectors.toSet()))
                .isEmpty();
    }
}
