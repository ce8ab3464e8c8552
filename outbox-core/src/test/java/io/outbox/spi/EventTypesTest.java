package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventTypesTest {

    @Test
    void allContainsEveryType() {
        assertThat(EventTypes.ALL.contains("A")).isTrue();
        assertThat(EventTypes.ALL.isAll()).isTrue();
        assertThat(EventTypes.ALL.names()).isEmpty();
    }

    @Test
    void onlyContainsTheOneType() {
        EventTypes only = EventTypes.only("A");

        assertThat(only.contains("A")).isTrue();
        assertThat(only.contains("a")).isFalse();
        assertThat(only.contains("B")).isFalse();
        assertThat(only.isAll()).isFalse();
        assertThat(only.excluded()).isFalse();
    }

    @Test
    void exceptContainsAllOthers() {
        EventTypes others = EventTypes.except(List.of("A", "B"));

        assertThat(others.contains("A")).isFalse();
        assertThat(others.contains("B")).isFalse();
        assertThat(others.contains("C")).isTrue();
        assertThat(others.isAll()).isFalse();
        assertThat(others.excluded()).isTrue();
    }

    @Test
    void exceptNothingIsAll() {
        assertThat(EventTypes.except(List.of())).isEqualTo(EventTypes.ALL);
        assertThat(EventTypes.except(List.of()).isAll()).isTrue();
    }

    @Test
    void noneAtAllIsNotAll() {
        EventTypes none = new EventTypes(List.of(), false);

        assertThat(none.isAll()).isFalse();
        assertThat(none.contains("A")).isFalse();
    }

    @Test
    void doesNotNoticeChangesOfTheGivenList() {
        List<String> names = new ArrayList<>(List.of("A"));
        EventTypes types = EventTypes.except(names);

        names.add("B");

        assertThat(types.names()).containsExactly("A");
        assertThat(types.contains("B")).isTrue();
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> EventTypes.only(null)).withMessageContaining("name");
        assertThatNullPointerException().isThrownBy(() -> EventTypes.except(null));
        assertThatNullPointerException().isThrownBy(() -> EventTypes.except(Arrays.asList("A", null)));
    }
}
