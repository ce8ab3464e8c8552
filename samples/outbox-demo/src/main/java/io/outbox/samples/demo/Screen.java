package io.outbox.samples.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** What the viewer sees: coloured on a terminal, plain text when piped. Thread-safe. */
final class Screen {

    private static final String BOLD = "1";
    private static final String DIM = "2";
    private static final String RED = "31";
    private static final String GREEN = "32";
    private static final String YELLOW = "33";

    private final PrintStream out;
    private final boolean coloured;

    Screen(PrintStream out, boolean coloured) {
        this.out = out;
        this.coloured = coloured;
    }

    static Screen ofThisProcess() {
        return new Screen(System.out, wantsColour(isTerminal(System.console()), System.getenv()));
    }

    /** Follows the conventions of NO_COLOR (any value but the empty one) and TERM=dumb. */
    static boolean wantsColour(boolean terminal, Map<String, String> environment) {
        String term = environment.getOrDefault("TERM", "");
        return terminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !term.isEmpty()
                && !term.equals("dumb");
    }

    /** Since Java 22 there may be a console without a terminal, and a method that tells. */
    private static boolean isTerminal(Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Begins a scene. */
    void heading(String text) {
        print("");
        print(paint(BOLD, text));
    }

    /** Explains. */
    void say(String format, Object... args) {
        print("   " + paint(DIM, format(format, args)));
    }

    /** Tells what the application did. */
    void did(String format, Object... args) {
        print("   " + format(format, args));
    }

    /** Tells that an event arrived or a promise was kept. */
    void good(String format, Object... args) {
        print("   " + paint(GREEN, format(format, args)));
    }

    /** Tells of a failure that the outbox deals with. */
    void trouble(String format, Object... args) {
        print("   " + paint(YELLOW, format(format, args)));
    }

    /** Tells that the demo did not go as it should. */
    void wrong(String format, Object... args) {
        print("   " + paint(RED, format(format, args)));
    }

    /** Prints one row of the summary. */
    void row(String what, String value, String note) {
        print("   " + format("%-42s %10s  ", what, value) + paint(DIM, note));
    }

    private static String format(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }

    private String paint(String colour, String text) {
        return coloured && !text.isEmpty() ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }

    private void print(String line) {
        out.println(line.stripTrailing());
    }
}
