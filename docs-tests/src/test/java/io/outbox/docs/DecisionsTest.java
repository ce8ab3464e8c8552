package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages of docs/adr have one form, and their list is complete. */
class DecisionsTest {

    private static final String STATUS =
            "\\*(Accepted|Replaced by \\[ADR \\d+]\\(\\S+\\)), \\d{4}-\\d{2}-\\d{2}(; .+)?\\.\\*";

    static List<Page> decisions() {
        return Page.all().stream()
                .filter(page -> page.toString().matches("docs/adr/\\d{4}-.*"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("decisions")
    void aDecisionHasANumberAStatusWithADateAndItsSections(Page page) {
        List<String> lines = page.text().lines().toList();
        int number = Integer.parseInt(page.name().substring(0, 4));

        assertThat(lines.get(0)).startsWith("# " + number + ". ");
        assertThat(lines.get(2)).as("the status").matches(STATUS);
        assertThat(Stream.of("Context", "Decision", "Rejected", "Consequences"))
                .allSatisfy(section -> assertThat(page.text()).contains("\n\n**" + section));
    }

    @Test
    void theListNamesEachDecisionOnce() {
        Page list = Page.all().stream()
                .filter(page -> page.toString().equals("docs/adr/README.md"))
                .findFirst()
                .orElseThrow();

        assertThat(decisions())
                .isNotEmpty()
                .allSatisfy(page -> assertThat(list.text())
                        .containsOnlyOnce("(" + page.file().getFileName() + ")")
                        .containsPattern("(?m)^" + Integer.parseInt(page.name().substring(0, 4)) + "\\. \\[.*\\]\\("
                                + page.file().getFileName() + "\\)$"));
    }
}
