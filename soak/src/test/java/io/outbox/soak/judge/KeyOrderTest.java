package io.outbox.soak.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.judge.Finding.Kind;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.EventKind;
import org.junit.jupiter.api.Test;

class KeyOrderTest {

    private final Scene scene = new Scene().keyed("a", "1", "k", 1).keyed("b", "2", "k", 2);

    @Test
    void findsNothingWhereEventsOfAKeyCameOneAfterTheOther() {
        scene.delivered("a", "1", 1).delivered("b", "2", 1.1);

        assertThat(scene.judge().findings()).isEmpty();
        assertThat(scene.judge().figures().inOrder()).isEqualTo(2);
    }

    @Test
    void findsAnEventThatCameBeforeItsPredecessor() {
        scene.delivered("a", "2", 1).delivered("a", "1", 1.5);

        assertFindings(Kind.OUT_OF_ORDER, "2");
    }

    @Test
    void findsAnEventThatCameBehindAFailedAttemptOfItsPredecessor() {
        scene.delivered("a", "1", 1, 1.1, Answer.AGAIN).delivered("a", "2", 1.2).delivered("a", "1", 1.4);

        assertFindings(Kind.OUT_OF_ORDER, "2");
    }

    @Test
    void findsAnEventThatCameBehindAParkedOne() {
        hopeless("a", "3", "other", 1);
        scene.keyed("a", "4", "other", 2)
                .delivered("a", "1", 1)
                .delivered("a", "2", 1.2)
                .delivered("a", "3", 1, 1.1, Answer.DEAD)
                .delivered("a", "4", 1.2)
                .skipped("b", "3", 1.5);

        assertFindings(Kind.OUT_OF_ORDER, "4");
    }

    @Test
    void anEventMayComeBehindASkippedOne() {
        hopeless("a", "3", "other", 1);
        scene.keyed("a", "4", "other", 2)
                .delivered("a", "1", 1)
                .delivered("a", "2", 1.2)
                .delivered("a", "3", 1, 1.1, Answer.DEAD)
                .skipped("b", "3", 1.5)
                .skipped("a", "3", 1.9)
                .delivered("a", "4", 1.6);

        assertThat(scene.judge().findings()).isEmpty();
    }

    private void hopeless(String node, String eventId, String key, long number) {
        scene.place(node, eventId, key, number)
                .written(node, eventId, EventKind.HOPELESS, TransactionEnd.COMMITTED)
                .row(eventId, Row.DEAD);
    }

    @Test
    void noFaultExcusesAnEventThatCameBeforeItsPredecessor() {
        scene.fault(FaultKind.KILLED, "a", 0.5, 0.5)
                .fault(FaultKind.STOPPED, "b", 0.5, 6)
                .delivered("b", "2", 6)
                .delivered("b", "1", 6.5);

        assertFindings(Kind.OUT_OF_ORDER, "2");
    }

    @Test
    void findsAnEventThatCameThoughItsPredecessorNeverDid() {
        scene.delivered("a", "2", 1);

        assertThat(scene.judge().findings())
                .extracting(Finding::kind, Finding::eventId)
                .containsExactlyInAnyOrder(tuple(Kind.NOT_DELIVERED, "1"), tuple(Kind.OUT_OF_ORDER, "2"));
    }

    @Test
    void findsEventsOfAKeyThatWereWithListenersAtTheSameTime() {
        scene.delivered("a", "1", 1, 1.5, Answer.DONE).delivered("b", "2", 1.2);

        assertThat(scene.judge().findings())
                .extracting(Finding::kind, Finding::eventId)
                .containsExactlyInAnyOrder(tuple(Kind.OUT_OF_ORDER, "2"), tuple(Kind.AT_THE_SAME_TIME, "2"));
    }

    @Test
    void findsALaterEventAtTheSameTimeAsARepetition() {
        scene.delivered("a", "1", 1)
                .delivered("a", "2", 1.2, 3, Answer.DONE)
                .delivered("b", "1", 2)
                .fault(FaultKind.STOPPED, "c", 0, 9);

        assertThat(scene.judge().findings())
                .extracting(Finding::kind, Finding::eventId)
                .containsExactlyInAnyOrder(tuple(Kind.UNEXPLAINED_DUPLICATE, "1"), tuple(Kind.AT_THE_SAME_TIME, "1"));
    }

    @Test
    void aNodeThatWasStoppedInItsListenerExplainsDeliveriesAtTheSameTime() {
        scene.delivered("a", "1", 1, 8, Answer.DONE)
                .fault(FaultKind.STOPPED, "a", 1.01, 7.9)
                .delivered("b", "1", 6)
                .delivered("b", "2", 6.2);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void aNodeThatWasStoppedForLessThanALeaseExplainsNothing() {
        scene.delivered("a", "1", 1, 2.5, Answer.DONE)
                .fault(FaultKind.STOPPED, "a", 1.01, 2.4)
                .delivered("b", "2", 2);

        assertThat(scene.judge().findings())
                .extracting(Finding::kind)
                .containsExactlyInAnyOrder(Kind.OUT_OF_ORDER, Kind.AT_THE_SAME_TIME);
    }

    @Test
    void aListenerThatNeverAnsweredHasEndedWithItsProcess() {
        scene.begun("a", "1", 1)
                .fault(FaultKind.KILLED, "a", 1.1, 1.2)
                .delivered("b", "1", 6)
                .delivered("b", "2", 6.2);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void aRowThatNobodyCouldWriteExplainsThatItsEventComesBesideALaterOne() {
        scene.delivered("a", "1", 1)
                .delivered("a", "2", 4.5, 8, Answer.DONE)
                .rowLocked("1", 0.5, 6)
                .delivered("b", "1", 6.1);

        assertThat(scene.judge().findings()).extracting(Finding::kind).doesNotContain(Kind.AT_THE_SAME_TIME);
    }

    @Test
    void whatRolledBackHasNoPlace() {
        scene.delivered("a", "1", 1).delivered("a", "2", 1.2);
        scene.place("a", "3", "k", 3)
                .written("a", "3", EventKind.PLAIN, TransactionEnd.ROLLED_BACK)
                .keyed("a", "4", "k", 3)
                .delivered("a", "4", 1.4);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void anEventIsNotLateWhileItsPredecessorTakesItsTime() {
        scene.delivered("a", "1", 1, 9, Answer.DONE).delivered("a", "2", 9.1);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void findsAnEventThatWaitedAfterItsPredecessorWasFinished() {
        scene.delivered("a", "1", 1).delivered("a", "2", 5.5);

        assertFindings(Kind.LATE, "2");
    }

    @Test
    void aRowThatNobodyCouldWriteExplainsThatTheNextOneOfItsKeyWaited() {
        scene.delivered("a", "1", 1).rowLocked("1", 0.5, 9).delivered("a", "2", 9.1);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void aLockedRowOfAnotherKeyExplainsNoWaiting() {
        scene.delivered("a", "1", 1)
                .keyed("a", "3", "other", 1)
                .delivered("a", "3", 1)
                .rowLocked("3", 0.5, 9)
                .delivered("a", "2", 9.1);

        assertFindings(Kind.LATE, "2");
    }

    private void assertFindings(Kind kind, String eventId) {
        assertThat(scene.judge().findings())
                .extracting(Finding::kind, Finding::eventId)
                .containsExactly(tuple(kind, eventId));
    }
}
