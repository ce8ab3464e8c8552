package io.outbox.samples.broker;

import java.io.Console;
import java.util.Locale;

/** What the viewer sees: coloured on a terminal, plain text when piped. Thread-safe. */
final class Screen {

    private static final String BOLD = "1";
    private static final String DIM = "2";
    private static final String RED = "31";
    private static final String GREEN = "32";
    private static final String YELLOW = "33";

    private final boolean coloured = isTerminal(System.console())
            && System.getenv().getOrDefault("NO_COLOR", "").isEmpty()
            && !System.getenv().getOrDefault("TERM", "dumb").equals("dumb");

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
        print("\n" + paint(BOLD, text));
    }

    /** Explains. */
    void say(String format, Object... args) {
        print("   " + paint(DIM, format(format, args)));
    }

    /** Tells what the shop did. */
    void did(String format, Object... args) {
        print("   " + format(format, args));
    }

    /** Tells that a message arrived or a promise was kept. */
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
    void row(String what, Object value) {
        print("   " + format("%-46s %8s", what, value));
    }

    private static String format(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }

    private String paint(String colour, String text) {
        return coloured ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }

    private static void print(String line) {
        System.out.println(line);
    }
}
