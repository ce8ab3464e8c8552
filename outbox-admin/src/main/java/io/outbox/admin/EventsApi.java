package io.outbox.admin;

import static io.outbox.spi.DeadLetterQuery.Order.NEWEST_FIRST;
import static io.outbox.spi.DeadLetterQuery.Order.OLDEST_FIRST;

import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Events, dead letters and groups of failures: what operators look at. */
final class EventsApi {

    private static final int MOST = 200;
    private static final int DEFAULT = 50;
    private static final String[] SEARCH = {
        "status",
        "eventType",
        "fingerprint",
        "aggregateType",
        "aggregateId",
        "tenantId",
        "from",
        "to",
        "error",
        "limit",
        "after"
    };

    private static final String[] MATCHING =
            Arrays.copyOf(SEARCH, SEARCH.length - 2); // limit and after are those of a page

    /** Which dead events come first; the oldest, unless something else is said. */
    private enum Order {
        OLDEST,
        NEWEST
    }

    private final DeadEvents dead;
    private final InspectionBackend inspection;
    private final Views views;

    EventsApi(DeadEvents dead, InspectionBackend inspection, Views views) {
        this.dead = dead;
        this.inspection = inspection;
        this.views = views;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/events", this::search, with("payload", SEARCH))
                .get(api + "/count/events", this::count, with("payload", MATCHING))
                .get(api + "/count/dead-letters", this::countLetters, MATCHING)
                .get(api + "/events/{id}", this::one)
                .get(api + "/dead-letters", this::letters, with("order", SEARCH))
                .get(api + "/groups", this::groups, "limit");
    }

    private static String[] with(String name, String... names) {
        String[] all = Arrays.copyOf(names, names.length + 1);
        all[names.length] = name;
        return all;
    }

    private AdminResponse count(Exchange exchange) {
        return AdminResponse.json(200, matching(inspection.count(eventFilter(exchange))));
    }

    private AdminResponse countLetters(Exchange exchange) {
        return AdminResponse.json(200, matching(dead.events().count(letterFilter(exchange))));
    }

    private static Views.Matching matching(Tally tally) {
        return new Views.Matching(tally.count(), tally.exact());
    }

    private EventFilter eventFilter(Exchange exchange) {
        EventStatus state = exchange.choice("status", EventStatus.class);
        String payload = exchange.param("payload");
        if (payload != null && views.isMasked()) {
            throw Problem.masked("payload");
        }
        return filter(exchange, state == null ? Set.of() : Set.of(state), payload);
    }

    private DeadLetterFilter letterFilter(Exchange exchange) {
        return new DeadLetterFilter(exchange.choice("status", DlqStatus.class), filter(exchange, Set.of(), null));
    }

    private AdminResponse search(Exchange exchange) {
        EventFilter filter = eventFilter(exchange);
        int limit = exchange.number("limit", DEFAULT, 1, MOST);
        InspectionBackend.Found found = inspection.search(filter, exchange.param("after"), limit);
        return page(found.events().stream().map(views::summary).toList(), found.next());
    }

    private EventFilter filter(Exchange exchange, Set<EventStatus> states, String payload) {
        String error = exchange.param("error");
        if (error != null && views.isMasked()) {
            throw Problem.masked("error");
        }
        return new EventFilter(
                states,
                new EventFilter.Scope(
                        exchange.param("eventType"),
                        exchange.param("aggregateType"),
                        exchange.param("aggregateId"),
                        exchange.param("tenantId")),
                exchange.time("from"),
                exchange.time("to"),
                new EventFilter.Failure(error, exchange.param("fingerprint")),
                payload);
    }

    private static AdminResponse page(List<?> items, String next) {
        return AdminResponse.json(200, new Views.Page<>(items, next));
    }

    /** Returns an event wherever it is, with its history; its payload may be large, so not to who has it already. */
    private AdminResponse one(Exchange exchange) {
        String id = exchange.anyId();
        List<FailedAttempt> history = dead.events().attempts(id);
        return Tag.json(
                exchange.request(),
                inspection
                        .find(id)
                        .<Record>map(event -> views.whole(event, history))
                        .or(() -> dead.events().find(id).map(letter -> views.whole(letter, history)))
                        .orElseThrow(() -> Problem.missing(List.of(id))));
    }

    private AdminResponse letters(Exchange exchange) {
        DeadLetterFilter filter = letterFilter(exchange);
        Order order = exchange.choice("order", Order.class);
        DeadLetterQuery query = DeadLetterQuery.matching(filter, exchange.number("limit", DEFAULT, 1, MOST))
                .in(order == Order.NEWEST ? NEWEST_FIRST : OLDEST_FIRST);
        String after = exchange.param("after");
        Page<DeadLetter> page = dead.events().query(after == null ? query : query.after(cursor(after)));
        return page(
                page.items().stream().map(views::summary).toList(),
                page.next() == null ? null : dead.events().encode(page.next()));
    }

    private PageCursor cursor(String after) {
        try {
            return dead.events().decode(after);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("after", "must be what an earlier answer gave as next");
        }
    }

    private AdminResponse groups(Exchange exchange) {
        int limit = exchange.number("limit", DEFAULT, 1, MOST);
        return AdminResponse.json(
                200,
                new Views.Items<>(
                        dead.events().groups(limit).stream().map(views::group).toList()));
    }
}
