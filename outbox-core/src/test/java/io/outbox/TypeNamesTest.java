package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;

class TypeNamesTest {

    enum Users implements EventType {
        CREATED
    }

    @Test
    void theGlobalAggregateTypeHasAFixedName() {
        assertThat(AggregateType.GLOBAL.name()).isEqualTo("__GLOBAL__");
    }

    @Test
    void namesMadeFromStringsAreEqualByName() {
        assertThat(StringEventType.of("A")).isEqualTo(new StringEventType("A")).hasToString("A");
        assertThat(StringEventType.of("A").name()).isEqualTo("A");
        assertThat(StringAggregateType.of("B"))
                .isEqualTo(new StringAggregateType("B"))
                .hasToString("B");
        assertThat(StringAggregateType.of("B").name()).isEqualTo("B");
    }

    @Test
    void enumsAreTypesByTheirName() {
        EventType type = Users.CREATED;

        assertThat(type.name()).isEqualTo("CREATED");
    }

    @Test
    void refusesNullAndBlankNames() {
        assertThatNullPointerException()
                .isThrownBy(() -> StringEventType.of(null))
                .withMessageContaining("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> StringAggregateType.of(null))
                .withMessageContaining("aggregateType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StringEventType.of(" "))
                .withMessageContaining("eventType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StringAggregateType.of(""))
                .withMessageContaining("aggregateType");
    }
}
