package io.outbox.samples.demo.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ScreenTest {

    @Test
    void usesColourOnATerminalOnly() {
        assertThat(Screen.wantsColour(true, Map.of("TERM", "xterm"))).isTrue();
        assertThat(Screen.wantsColour(false, Map.of("TERM", "xterm"))).isFalse();
    }

    @Test
    void usesNoColourOnATerminalThatHasNone() {
        assertThat(Screen.wantsColour(true, Map.of("TERM", "dumb"))).isFalse();
        assertThat(Screen.wantsColour(true, Map.of())).isFalse();
    }

    @Test
    void usesNoColourWhenTheUserDoesNotWantIt() {
        assertThat(Screen.wantsColour(true, Map.of("TERM", "xterm", "NO_COLOR", "1")))
                .isFalse();
        assertThat(Screen.wantsColour(true, Map.of("TERM", "xterm", "NO_COLOR", "")))
                .isTrue();
    }

    @Test
    void paintsWithEscapeSequencesThatPlainTextDoesNotHave() {
        assertThat(good(true)).isEqualTo("   \u001b[32m3 delivered\u001b[0m");
        assertThat(good(false)).isEqualTo("   3 delivered");
    }

    @Test
    void replacesFiguresOnATerminalAndAddsThemToAFile() {
        assertThat(printed(true, ScreenTest::figures)).isEqualTo("\r   1 written   \r   2 written   \n   done\n");
        assertThat(printed(false, ScreenTest::figures)).isEqualTo("   1 written\n   2 written\n   done\n");
    }

    private static void figures(Screen screen) {
        screen.figures("%d written", 1);
        screen.figures("%d written", 2);
        screen.did("done");
    }

    private static String printed(boolean terminal, Consumer<Screen> what) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        what.accept(new Screen(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal, false));
        return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private static String good(boolean coloured) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new Screen(new PrintStream(bytes, true, StandardCharsets.UTF_8), coloured, coloured).good("%d delivered", 3);
        return bytes.toString(StandardCharsets.UTF_8).stripTrailing();
    }
}
