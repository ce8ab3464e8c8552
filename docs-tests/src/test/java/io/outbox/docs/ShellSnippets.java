package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that the commands of {@code ./outbox} that a text names are there, and so are the samples. */
final class ShellSnippets {

    private static final Pattern COMMAND = Pattern.compile("\\./outbox ([a-z]+)(?: ([a-z][a-z-]*))?");

    private ShellSnippets() {}

    static void check(String text) throws IOException {
        String script = Files.readString(Page.ROOT.resolve("outbox"));
        Matcher commands = COMMAND.matcher(text);
        while (commands.find()) {
            assertThat(script).as(commands.group()).containsPattern("(?m)^    " + commands.group(1) + "( \\|.*)?\\) ");
            if (commands.group(1).equals("demo") && commands.group(2) != null) {
                assertThat(Page.ROOT.resolve("samples/outbox-" + commands.group(2) + "-demo"))
                        .as(commands.group())
                        .isDirectory();
            }
        }
    }
}
