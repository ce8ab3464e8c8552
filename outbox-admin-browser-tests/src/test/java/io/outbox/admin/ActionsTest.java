package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What operators do in the dashboard. */
@ExtendWith(BrowserExtension.class)
class ActionsTest {

    private static final String TYPE = "PaymentCaptured";

    private Shop shop;
    private Viewer viewer;

    @BeforeEach
    void open(Browser browser) {
        shop = Shop.open();
        viewer = new Viewer(browser, shop);
    }

    @AfterEach
    void close() {
        viewer.close();
        shop.close();
    }

    private DlqStatus status(String id) {
        return shop.outbox.deadLetters().orElseThrow().find(id).orElseThrow().status();
    }

    private Locator badge() {
        return viewer.page.locator(".page-head .badge");
    }

    private Locator row(String text) {
        return viewer.page.locator("tr", new Page.LocatorOptions().setHasText(text));
    }

    @Test
    void anEventIsReplayed() {
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        shop.mend();
        viewer.open("events/" + id);
        viewer.button("Replay").click();
        assertThat(badge()).hasText("Done");
        shop.awaitState(id, EventStatus.DONE);

        viewer.open("audit");
        assertThat(row(id)).containsText("replay");
        assertThat(row(id)).containsText("loopback");
        viewer.link(id).click();
        assertThat(viewer.heading(TYPE)).isVisible();
    }

    @Test
    void anEventIsResolvedUnlessThatIsUndone() {
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        viewer.open("events/" + id);
        viewer.button("Resolve").click();
        viewer.button("Undo").click();
        assertThat(viewer.button("Undo")).hasCount(0);
        assertThat(status(id)).isEqualTo(DlqStatus.MOVED);

        viewer.button("Resolve").click();
        viewer.doItNow();
        assertThat(badge()).hasText("Resolved");
        assertThat(status(id)).isEqualTo(DlqStatus.RESOLVED);
        assertThat(viewer.button("Replay")).hasCount(0);
    }

    @Test
    void anEventIsDeletedOnceThatIsConfirmed() {
        viewer.expectingRefusals();
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        viewer.open("events/" + id);
        viewer.button("Delete").click();
        viewer.button("Cancel").click();
        assertThat(viewer.page.locator("dialog")).hasCount(0);
        assertThat(viewer.button("Delete")).isFocused();

        viewer.button("Delete").click();
        viewer.page
                .locator("dialog")
                .getByText("Delete", new Locator.GetByTextOptions().setExact(true))
                .click();
        viewer.doItNow();
        assertThat(viewer.text("The event is deleted")).isVisible();
        assertThat(shop.outbox.deadLetters().orElseThrow().find(id)).isEmpty();
        viewer.page.reload();
        assertThat(viewer.heading("Not found")).isVisible();
    }

    @Test
    void whatIsHeldIsDoneAfterAWhile() {
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        viewer.open("events/" + id);
        viewer.button("Resolve").click();
        assertThat(badge()).hasText("Resolved");
    }

    @Test
    void anEventIsReleased() {
        String id = shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1)));
        shop.lock(id, "node-b");
        viewer.open("events/" + id);
        viewer.button("Release").click();
        assertThat(viewer.page.locator("dialog")).containsText("node-b holds it");
        viewer.page.locator("dialog .danger").click();
        assertThat(viewer.page.getByText("Released", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(viewer.button("Release")).hasCount(0);
    }

    @Test
    void anEventThatWaitsIsRetriedNowOrCancelled() {
        String retried = shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1)));
        String cancelled = shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1)));
        viewer.open("events/" + retried);
        viewer.button("Retry now").click();
        assertThat(viewer.text("The event is delivered now")).isVisible();
        shop.awaitState(retried, EventStatus.DONE);

        viewer.open("events/" + cancelled);
        viewer.button("Cancel delivery").click();
        viewer.doItNow();
        assertThat(badge()).hasText("Dead letter");
        assertThat(viewer.text("Cancelled by ").first()).isVisible();
    }

    @Test
    void tickedRowsAreActedOnTogether() {
        List<String> ids = List.of(
                shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1))),
                shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1))),
                shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1))));
        viewer.open("events?status=NEW");
        viewer.page.getByLabel("Tick " + ids.get(2)).click();
        viewer.page
                .getByLabel("Tick " + ids.get(0))
                .click(new Locator.ClickOptions()
                        .setModifiers(List.of(com.microsoft.playwright.options.KeyboardModifier.SHIFT)));
        assertThat(viewer.page.locator(".ticked")).containsText("3 events ticked");
        viewer.page.getByLabel("Tick " + ids.get(1)).click();
        viewer.button("Retry now the ticked events").click();
        viewer.page.locator("dialog .primary").click();
        viewer.doItNow();
        assertThat(viewer.text("Retry now: 2 events").last()).isVisible();
        shop.awaitState(ids.get(0), EventStatus.DONE);
        shop.awaitState(ids.get(2), EventStatus.DONE);
        viewer.page.reload(); // the list was loaded again before they were delivered, or after
        assertThat(viewer.rows()).hasCount(1);
    }

    @Test
    void rowsAreTickedWithTheKeyboard() {
        shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1)));
        shop.write(Shop.event(TYPE).deliverAfter(Duration.ofHours(1)));
        viewer.open("events?status=NEW");
        assertThat(viewer.rows()).hasCount(2);
        viewer.page.keyboard().press("j");
        viewer.page.keyboard().press("x");
        assertThat(viewer.page.locator(".ticked")).containsText("1 event ticked");
        viewer.page.keyboard().press("j");
        viewer.page.keyboard().press("x");
        assertThat(viewer.page.locator(".ticked")).containsText("2 events ticked");
        viewer.page.keyboard().press("x");
        assertThat(viewer.page.locator(".ticked")).containsText("1 event ticked");
    }

    @Test
    void attemptsAfterAReplayContinueTheNumbersBefore() {
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        viewer.open("events/" + id);
        assertThat(viewer.text("Attempts 1 to 3 failed in the same way")).isVisible();
        viewer.button("Replay").click();
        assertThat(viewer.text("Attempts 4 to 6 failed in the same way")).isVisible();
        assertThat(viewer.text("Attempts 1 to 3 failed in the same way")).isVisible();
    }

    @Test
    void anEventSaysHowManyFailedInTheSameWay() {
        List<String> ids = shop.writeDead(3, TYPE, "no funds");
        String alone = shop.writeDead(1, "OrderPlaced", "no stock").get(0);
        viewer.open("events/" + alone);
        assertThat(viewer.page.locator(".why")).containsText("No other dead event has the same failure");
        viewer.open("events/" + ids.get(0));
        viewer.link("2 other dead events with the same failure").click();
        assertThat(viewer.rows()).hasCount(3);
    }

    @Test
    void aGroupIsReplayedSlowlyPausedAndResumed() {
        shop.writeDead(4, TYPE, "no funds");
        viewer.open("dead");
        viewer.button("Replay group of " + TYPE).click();
        viewer.page.locator("#rate").fill("1");
        viewer.button("Replay 4 events").click();
        viewer.doItNow();
        Locator job = viewer.page.locator(".job");
        assertThat(job).containsText("1 per second");
        viewer.button("Pause").click();
        assertThat(job.locator(".badge")).hasText("Paused");
        viewer.button("Resume").click();
        assertThat(job.locator(".badge")).hasText("Done");
    }

    @Test
    void anEventIsEditedAndReplayed() {
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        shop.mend();
        viewer.open("events/" + id);
        viewer.button("Edit and replay").click();
        Locator payload = viewer.page.locator("textarea");
        assertThat(payload).hasValue("{\n  \"total\": 12345678901234567890.50\n}");
        assertThat(viewer.page.locator("dialog")).containsText("no funds");
        Axe.assertNoFindings(viewer.page, "the editor");
        payload.fill("{\"total\":");
        assertThat(viewer.text("This is not JSON.")).isVisible();
        viewer.button("Write and replay").click();
        assertThat(viewer.button("Write it anyway")).isVisible();
        payload.fill("{\"total\":1}");
        viewer.button("Indent").click();
        assertThat(payload).hasValue("{\n  \"total\": 1\n}");
        assertThat(viewer.page.getByLabel("Changes"))
                .hasText("-   \"total\": 12345678901234567890.50\n+   \"total\": 1\n");
        viewer.button("Write and replay").click();

        assertThat(viewer.page.locator("pre[aria-label=Payload]")).hasText("{\n  \"total\": 1\n}");
        assertThat(viewer.text("outbox_edited_from")).isVisible();
        assertThat(badge()).hasText("Done");
        viewer.open("events/" + id);
        assertThat(badge()).hasText("Resolved");
        assertThat(viewer.page.locator("pre[aria-label=Payload]")).containsText("12345678901234567890.50");
    }

    @Test
    void anActionThatIsRefusedIsSaidToBe() {
        viewer.expectingRefusals();
        String id = shop.writeDead(1, TYPE, "no funds").get(0);
        // Nothing tells the page what another operator does meanwhile.
        viewer.page.route("**/api/{live,overview}", route -> route.abort());
        viewer.open("events/" + id);
        assertThat(viewer.button("Replay")).isVisible();
        shop.outbox.deadLetters().orElseThrow().resolve(List.of(id), "another");
        viewer.button("Replay").click();
        assertThat(viewer.text("The event was not replayed: Only a letter that is MOVED can be changed"))
                .isVisible();
        assertThat(badge()).hasText("Resolved");
    }

    @Test
    void aGroupIsReplayedAfterADryRun() {
        List<String> ids = shop.writeDead(3, TYPE, "no funds");
        shop.writeDead(1, "OrderPlaced", "no stock");
        shop.mend();
        viewer.open("dead");
        viewer.button("Replay group of " + TYPE).click();
        assertThat(viewer.page.locator("dialog")).containsText("3 events match.");
        Axe.assertNoFindings(viewer.page, "an action on all that match");
        viewer.button("Replay 3 events").click();
        viewer.button("Undo").click();
        assertThat(viewer.page.locator(".group")).hasCount(2);
        assertThat(viewer.page.locator(".job")).hasCount(0);

        viewer.button("Replay group of " + TYPE).click();
        viewer.button("Replay 3 events").click();
        viewer.doItNow();
        assertThat(viewer.page.locator(".job")).containsText("3 of 3");
        assertThat(viewer.page.locator(".group")).hasCount(1);
        ids.forEach(id -> shop.awaitState(id, EventStatus.DONE));
    }

    @Test
    void allThatMatchAreResolvedOrDeleted() {
        List<String> resolved = shop.writeDead(2, TYPE, "no funds");
        List<String> deleted = shop.writeDead(2, "OrderPlaced", "no stock");
        viewer.open("dead?view=letters&eventType=" + TYPE);
        viewer.button("Resolve all that match").click();
        viewer.button("Resolve 2 events").click();
        viewer.doItNow();
        assertThat(viewer.page.locator(".job")).containsText("2 of 2");
        assertThat(viewer.page.locator("tbody .badge").first()).hasText("Resolved");
        assertThat(resolved).allMatch(id -> status(id) == DlqStatus.RESOLVED);

        viewer.link("Clear").click();
        viewer.button("Delete all that match").click();
        viewer.button("Delete 2 events").click();
        viewer.doItNow();
        assertThat(viewer.page.locator(".job")).hasCount(2);
        assertThat(viewer.page.locator(".job .badge").first()).hasText("Done");
        assertThat(deleted)
                .allMatch(id -> shop.outbox.deadLetters().orElseThrow().find(id).isEmpty());
        assertThat(resolved).allMatch(id -> status(id) == DlqStatus.RESOLVED);
    }

    @Test
    void toDeleteManyTheirNumberIsTyped() {
        shop.writeDead(101, TYPE, "no funds");
        viewer.open("dead?view=letters");
        viewer.button("Delete all that match").click();
        assertThat(viewer.button("Delete 101 events")).isDisabled();
        Locator typed = viewer.page.getByLabel("Type 101 to confirm");
        typed.fill("100");
        assertThat(viewer.button("Delete 101 events")).isDisabled();
        typed.fill("101");
        viewer.button("Delete 101 events").click();
        viewer.doItNow();
        assertThat(viewer.page.locator(".job")).containsText("101 of 101");
    }

    @Test
    void aBulkActionIsCancelledAfterItsBatch() throws SQLException {
        List<String> ids = shop.writeDead(150, TYPE, "no funds");
        String oldest = ids.get(0);
        viewer.open("dead?view=letters");
        try (Connection held = shop.hold(oldest)) {
            viewer.button("Resolve all that match").click();
            viewer.button("Resolve 150 events").click();
            viewer.doItNow();
            Locator job = viewer.page.locator(".job");
            assertThat(job).containsText("0 of 150");
            job.getByText("Cancel", new Locator.GetByTextOptions().setExact(true))
                    .click();
            assertThat(viewer.text("The action ends after its current batch")).isVisible();
            held.rollback();
            assertThat(job.locator(".badge")).hasText("Cancelled");
            assertThat(job).containsText("100 of 150");
        }
        assertThat(ids).filteredOn(id -> status(id) == DlqStatus.RESOLVED).hasSize(100);
    }

    @Test
    void aLaneIsPausedAndThatIsUndone() {
        viewer.open("types");
        viewer.button("Pause " + Shop.LANE).click();
        assertThat(row(Shop.LANE).locator(".badge")).hasText("Paused");
        assertThat(shop.outbox.pausedTypes()).containsExactly(Shop.LANE);
        viewer.button("Undo").click();
        assertThat(row(Shop.LANE).locator(".badge")).hasText("Running");
        assertThat(shop.outbox.pausedTypes()).isEmpty();
    }

    @Test
    void allDeliveryIsPausedAndResumed() {
        viewer.open("types");
        viewer.button("Pause everything").click();
        assertThat(badge()).hasText("Paused");
        assertThat(shop.outbox.state()).isEqualTo(OutboxStatus.State.PAUSED);
        viewer.open("");
        assertThat(viewer.heading("Not delivering")).isVisible();
        viewer.open("types");
        viewer.button("Resume everything").click();
        assertThat(badge()).hasText("Running");
        assertThat(shop.outbox.state()).isEqualTo(OutboxStatus.State.RUNNING);
    }
}
