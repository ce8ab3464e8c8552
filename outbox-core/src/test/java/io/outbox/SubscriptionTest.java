package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.dispatch.LanePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionTest {

    @Test
    void storesItsNameBehindTheEventType() {
        Subscription subscription = Subscription.of("mail", "Order", "OrderPlaced");

        assertThat(subscription.storedEventType()).isEqualTo("OrderPlaced#mail");
        assertThat(subscription.aggregateType()).isEqualTo("Order");
        assertThat(subscription.lane()).isNull();
    }

    @Test
    void isToEventsOfNoParticularAggregateUnlessItNamesOne() {
        EventType placed = StringEventType.of("OrderPlaced");

        assertThat(Subscription.of("mail", "OrderPlaced").aggregateType()).isEqualTo(AggregateType.GLOBAL.name());
        assertThat(Subscription.of("mail", placed)).isEqualTo(Subscription.of("mail", "OrderPlaced"));
        assertThat(Subscription.of("mail", StringAggregateType.of("Order"), placed))
                .isEqualTo(Subscription.of("mail", "Order", "OrderPlaced"));
    }

    @Test
    void mayHaveALane() {
        LanePolicy policy = LanePolicy.builder().build();
        Subscription subscription = Subscription.of("mail", "OrderPlaced");

        assertThat(subscription.inLane(policy).lane()).isSameAs(policy);
        assertThat(subscription.lane()).isNull();
        assertThatNullPointerException()
                .isThrownBy(() -> subscription.inLane(null))
                .withMessageContaining("policy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "Mail-2", "audit.log", "x_y", "7"})
    void acceptsNamesThatFitEverywhere(String name) {
        assertThat(Subscription.of(name, "A").storedEventType()).isEqualTo("A#" + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a#b", "a:b", "ä", "a\n"})
    void refusesOtherNames(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.of(name, "A"))
                .withMessageContaining("name of a subscription")
                .withMessageContaining("\"" + name + "\"");
    }

    @Test
    void refusesAnEventTypeThatLooksLikeAStoredOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.of("mail", "A#b"))
                .withMessageContaining("'#'")
                .withMessageContaining("A#b");
    }

    @Test
    void refusesWhatDoesNotFitTheColumn() {
        String name = "n".repeat(28);

        assertThat(Subscription.of(name, "T".repeat(99)).storedEventType()).hasSize(128);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.of(name, "T".repeat(100)))
                .withMessageContaining(name)
                .withMessageContaining("at most 128")
                .withMessageContaining("129");
    }

    @Test
    void refusesNullAndBlank() {
        assertThatNullPointerException()
                .isThrownBy(() -> Subscription.of(null, "A"))
                .withMessageContaining("name");
        assertThatNullPointerException()
                .isThrownBy(() -> Subscription.of("mail", (String) null))
                .withMessageContaining("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> Subscription.of("mail", null, "A"))
                .withMessageContaining("aggregateType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.of("mail", " "))
                .withMessageContaining("eventType");
    }
}
