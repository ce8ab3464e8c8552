package io.outbox.soak.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.judge.Finding.Kind;
import io.outbox.soak.judge.Verdict.Figures;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.EventKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JudgeTest {

    private static final int NEW = 0;

    private final Scene scene = new Scene();

    @Test
    void findsNothingWhereEveryEventEndedAsItShould() {
        scene.committed("a", "1")
                .delivered("b", "1", 1)
                .written("a", "2", EventKind.HOPELESS, TransactionEnd.COMMITTED)
                .row("2", Row.DEAD)
                .delivered("a", "2", 1, 1.1, Answer.DEAD)
                .written("b", "3", EventKind.PLAIN, TransactionEnd.ROLLED_BACK);

        Verdict verdict = scene.judge();

        assertThat(verdict).isEqualTo(new Verdict(new Figures(2, 0, 1, 0, 2, 0), Map.of(), List.of()));
    }

    @Test
    void findsACommittedEventThatIsNotInTheTable() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.COMMITTED);

        assertFinding(Kind.LOST, "1");
    }

    @Test
    void findsACommittedEventThatNeverCameToAListener() {
        scene.committed("a", "1");

        assertFinding(Kind.NOT_DELIVERED, "1");
    }

    @Test
    void findsAnEventThatIsNotFinished() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.COMMITTED)
                .row("1", NEW)
                .delivered("a", "1", 1);

        assertFinding(Kind.NOT_FINISHED, "1");
    }

    @Test
    void findsAnEventThatIsDeadAgainstItsListenersWish() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.COMMITTED)
                .row("1", Row.DEAD)
                .delivered("a", "1", 1);

        assertFinding(Kind.WRONG_END, "1");
    }

    @Test
    void findsAnEventThatIsDoneAgainstItsListenersWish() {
        scene.written("a", "1", EventKind.HOPELESS, TransactionEnd.COMMITTED)
                .row("1", Row.DONE)
                .delivered("a", "1", 1, 1.1, Answer.DEAD);

        assertFinding(Kind.WRONG_END, "1");
    }

    @Test
    void findsADeliveryOfARolledBackEvent() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.ROLLED_BACK).delivered("b", "1", 1);

        assertFinding(Kind.NEVER_COMMITTED, "1");
    }

    @Test
    void findsADeliveryOfAnEventThatNobodyWrote() {
        scene.delivered("b", "1", 1);

        assertFinding(Kind.NEVER_COMMITTED, "1");
    }

    @Test
    void anEventOfAnUnknownCommitMayBeMissing() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.UNKNOWN).writing("a", "2");

        Verdict verdict = scene.judge();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.figures().unknown()).isEqualTo(2);
    }

    @Test
    void findsADeliveryOfAnEventOfAnUnknownCommitThatIsMissing() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.UNKNOWN).delivered("a", "1", 1);

        assertFinding(Kind.NEVER_COMMITTED, "1");
    }

    @Test
    void findsAStoredEventOfAnUnknownCommitThatNeverCameToAListener() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.UNKNOWN).row("1", Row.DONE);

        assertFinding(Kind.NOT_DELIVERED, "1");
    }

    @Test
    void findsALockInTheEnd() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.COMMITTED)
                .row("1", Row.DONE, "a")
                .delivered("a", "1", 1);

        assertFinding(Kind.STUCK_LOCK, "1");
    }

    @Test
    void findsALockThatAClosedNodeLeftBehind() {
        scene.committed("a", "1", 9).delivered("b", "1", 9).lockLeft("1", "a");

        assertFinding(Kind.STUCK_LOCK, "1");
    }

    @Test
    void findsADuplicateWithoutAnyFault() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void findsADuplicateOnTheSameNode() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("a", "1", 1.2);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void aListenerMayAskToSeeAnEventAgain() {
        scene.committed("a", "1").delivered("a", "1", 1, 1.1, Answer.AGAIN).delivered("b", "1", 1.1);

        Verdict verdict = scene.judge();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.figures().repetitions()).isOne();
    }

    @Test
    void findsADuplicateThatBeganBeforeTheListenerAskedForIt() {
        scene.committed("a", "1").delivered("a", "1", 1, 3, Answer.AGAIN).delivered("b", "1", 2);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED", "STOPPED", "STALLED", "LATE_ANSWERS", "CUT_OFF"})
    void aFaultOfTheEarlierNodeExplainsADuplicate(FaultKind kind) {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(kind, "a", 1.05, 5.5);

        Verdict verdict = scene.judge();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.explained()).isEqualTo(Map.of(kind, 1));
    }

    @ParameterizedTest
    @EnumSource(FaultKind.class)
    void aFaultOfTheLaterNodeExplainsNone(FaultKind kind) {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(kind, "b", 0.5, 5.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @ParameterizedTest
    @EnumSource(FaultKind.class)
    void aFaultOfAnotherNodeExplainsNone(FaultKind kind) {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(kind, "c", 0.5, 5.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @ParameterizedTest
    @EnumSource(names = "SERVER_.*", mode = EnumSource.Mode.MATCH_ALL)
    void aFaultOfTheServerExplainsNone(FaultKind kind) {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(kind, Fault.SERVER, 0.5, 5.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void aFaultThatWasOverBeforeTheEarlierDeliveryExplainsNone() {
        scene.committed("a", "1", 7)
                .delivered("a", "1", 7)
                .delivered("b", "1", 7.01)
                .fault(FaultKind.LATE_ANSWERS, "a", 1, 6.9);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void aFaultThatBeganAfterTheLaterDeliveryExplainsNone() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 2).fault(FaultKind.KILLED, "a", 2.5, 2.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void suspectsTheFaultThatTookMostOfTheTimeBetweenTheDeliveries() {
        scene.committed("a", "1")
                .delivered("a", "1", 1)
                .delivered("b", "1", 9)
                .fault(FaultKind.STALLED, "c", 0, 1.5)
                .fault(FaultKind.SERVER_KILLED, Fault.SERVER, 1.6, 7)
                .fault(FaultKind.CLOSED, "c", 8.5, 8.8);

        assertThat(scene.judge().findings()).extracting(Finding::suspect).containsExactly(FaultKind.SERVER_KILLED);
    }

    @Test
    void suspectsTheLastFaultBeforeTheDeliveriesElse() {
        scene.committed("a", "1", 8)
                .delivered("a", "1", 8)
                .delivered("b", "1", 8.01)
                .fault(FaultKind.SERVER_KILLED, Fault.SERVER, 0, 5)
                .fault(FaultKind.LATE_ANSWERS, "a", 6, 7.9);

        assertThat(scene.judge().findings()).extracting(Finding::suspect).containsExactly(FaultKind.LATE_ANSWERS);
    }

    @Test
    void aSilenceThatALeaseOutlastsExplainsNone() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(FaultKind.STALLED, "a", 1.5, 3);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void connectionsThatWereResetExplainNone() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).fault(FaultKind.RESET, "a", 1.5, 1.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void aCloseExplainsThatWhatAListenerDidNotFinishComesAgain() {
        scene.committed("a", "1").begun("a", "1", 1).delivered("b", "1", 6).fault(FaultKind.CLOSED, "a", 2, 4);

        Verdict verdict = scene.judge();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.explained()).isEqualTo(Map.of(FaultKind.CLOSED, 1));
    }

    @Test
    void aCloseDoesNotExplainThatWhatWasDoneComesAgain() {
        scene.committed("a", "1")
                .delivered("a", "1", 1, 3, Answer.DONE)
                .delivered("b", "1", 6)
                .fault(FaultKind.CLOSED, "a", 2, 4);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void everyRepetitionNeedsAnExplanationOfItsOwn() {
        scene.committed("a", "1")
                .delivered("a", "1", 1)
                .delivered("b", "1", 6)
                .delivered("c", "1", 7)
                .fault(FaultKind.KILLED, "a", 2, 2);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
        assertThat(scene.judge().explained()).isEqualTo(Map.of(FaultKind.KILLED, 1));
    }

    @Test
    void oneDeliveryIsBelievedToHaveBeenStoppedRightBeforeItBegan() {
        scene.committed("a", "1", 5)
                .committed("a", "2", 5)
                .delivered("b", "1", 5)
                .delivered("a", "1", 7.01)
                .delivered("b", "2", 5)
                .delivered("a", "2", 7.01)
                .fault(FaultKind.STOPPED, "a", 1, 7);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "2");
        assertThat(scene.judge().explained()).isEqualTo(Map.of(FaultKind.STOPPED, 1));
    }

    @Test
    void noDeliveryIsBelievedToHaveBeenStoppedThatBeganLater() {
        scene.committed("a", "1", 5)
                .delivered("b", "1", 5)
                .delivered("a", "1", 7.5)
                .fault(FaultKind.STOPPED, "a", 1, 7);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void findsADeliveryOfAnEventThatWasUndoneInsideItsTransaction() {
        scene.written("a", "1", EventKind.PLAIN, TransactionEnd.UNDONE).delivered("a", "1", 1);

        assertFinding(Kind.FROM_FAILED_TRANSACTION, "1");
    }

    @Test
    void findsAFailedAttemptThatNoListenerMade() {
        scene.committed("a", "1").attempts("1", 1).delivered("a", "1", 1);

        assertFinding(Kind.FALSE_ATTEMPT, "1");
    }

    @Test
    void findsAFailedAttemptThatWasCountedTwice() {
        scene.committed("a", "1")
                .attempts("1", 2)
                .delivered("a", "1", 1, 1.1, Answer.AGAIN)
                .delivered("a", "1", 2);

        assertFinding(Kind.FALSE_ATTEMPT, "1");
    }

    @Test
    void anAttemptIsCountedForEachListenerThatFailed() {
        scene.committed("a", "1")
                .attempts("1", 1)
                .delivered("a", "1", 1, 1.1, Answer.AGAIN)
                .delivered("a", "1", 2);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void findsAnEventThatWaitedForALeaseWithoutAFault() {
        scene.committed("a", "1", 1).delivered("a", "1", 5);

        assertFinding(Kind.LATE, "1");
    }

    @Test
    void anEventMayWaitForLessThanALeaseOrUntilItIsDue() {
        scene.committed("a", "1", 1)
                .delivered("a", "1", 4)
                .committed("a", "2", 10)
                .delivered("a", "2", 11);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void findsAnEventThatWaitedForALeaseAfterItsListenerHadAskedForIt() {
        scene.committed("a", "1").delivered("a", "1", 1, 1.1, Answer.AGAIN).delivered("a", "1", 7);

        assertFinding(Kind.LATE, "1");
    }

    @Test
    void anEventThatTakesLongerThanALeaseMayWaitForOthersLikeIt() {
        scene.written("a", "1", EventKind.LONG, TransactionEnd.COMMITTED)
                .row("1", Row.DONE)
                .delivered("a", "1", 9);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            names = {"RESET", "LOST_ANSWERS", "SERVER_LOST_ANSWERS", "SERVER_ROWS_LOCKED", "SERVER_SNAPSHOT"},
            mode = EnumSource.Mode.INCLUDE)
    void aLostAnswerALockedRowOrASnapshotDoesNotExplainThatAnEventWaitedForALease(FaultKind kind) {
        scene.committed("a", "1", 1).delivered("a", "1", 5).fault(kind, "a", 1, 5);

        assertFinding(Kind.LATE, "1");
        assertThat(scene.judge().findings()).extracting(Finding::suspect).containsExactly(kind);
    }

    @Test
    void aNodeThatIsGoneExplainsThatEventsWaitUntilItsLeasesHaveEnded() {
        scene.committed("a", "1", 1).delivered("b", "1", 7).fault(FaultKind.KILLED, "a", 1.5, 1.5);

        assertThat(scene.judge().findings()).isEmpty();
    }

    @Test
    void findsAnEventThatWaitedForAnotherLeaseAfterThoseHadEnded() {
        scene.committed("a", "1", 1).delivered("b", "1", 14).fault(FaultKind.KILLED, "a", 1.5, 1.5);

        assertFinding(Kind.LATE, "1");
    }

    @Test
    void aLockedRowExplainsThatItsEventComesLateAndTwice() {
        scene.committed("a", "1", 1)
                .delivered("a", "1", 7)
                .delivered("b", "1", 7.5)
                .rowLocked("1", 1.5, 7);

        Verdict verdict = scene.judge();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.explained()).isEqualTo(Map.of(FaultKind.SERVER_ROWS_LOCKED, 1));
    }

    @Test
    void aRowThatWasLockedForLessThanALeaseExplainsNoDuplicate() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 3).rowLocked("1", 0.5, 2);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void aLockedRowExplainsNoDuplicateOfAnotherEvent() {
        scene.committed("a", "1").delivered("a", "1", 1).delivered("b", "1", 6).rowLocked("2", 0.5, 5.5);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    @Test
    void findsAPublishedEventThatTheBrokerDoesNotHave() {
        scene.published("a", "1").delivered("a", "1", 1);

        assertFinding(Kind.NOT_PUBLISHED, "1");
    }

    @Test
    void findsAMessageOfWhichNoListenerKnows() {
        scene.published("a", "1").delivered("a", "1", 1).messages("1", 2);

        assertFinding(Kind.PUBLISHED_TOO_OFTEN, "1");
    }

    @Test
    void aBrokerThatIsAwayBurnsNoAttempt() {
        scene.written("a", "1", EventKind.PUBLISHED, TransactionEnd.COMMITTED)
                .attempts("1", 1)
                .delivered("a", "1", 1, 1.1, Answer.AGAIN)
                .delivered("a", "1", 2)
                .messages("1", 1);

        assertFinding(Kind.FALSE_ATTEMPT, "1");
    }

    @ParameterizedTest
    @EnumSource(names = {"BROKER_KILLED", "BROKER_FROZEN"})
    void onlyEventsForTheBrokerWaitWhileItIsAway(FaultKind fault) {
        scene.published("a", "1")
                .delivered("a", "1", 9)
                .messages("1", 1)
                .committed("a", "2")
                .delivered("a", "2", 9)
                .fault(fault, Fault.BROKER, 0, 6);

        assertFinding(Kind.LATE, "2");
    }

    @ParameterizedTest
    @EnumSource(names = {"BROKER_KILLED", "BROKER_FROZEN"})
    void aBrokerThatIsAwayExcusesNoRepetition(FaultKind fault) {
        scene.published("a", "1")
                .delivered("a", "1", 1)
                .delivered("b", "1", 8)
                .messages("1", 2)
                .fault(fault, Fault.BROKER, 0, 6);

        assertFinding(Kind.UNEXPLAINED_DUPLICATE, "1");
    }

    private void assertFinding(Kind kind, String eventId) {
        assertThat(scene.judge().findings())
                .extracting(Finding::kind, Finding::eventId)
                .containsExactly(tuple(kind, eventId));
    }
}
