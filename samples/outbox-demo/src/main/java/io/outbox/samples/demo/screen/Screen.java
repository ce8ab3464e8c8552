package io.outbox.samples.demo.screen;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** What the viewer sees: coloured on a terminal, plain text when piped. Thread-safe. */
public final class Screen {

    private static final String BOLD = "1";
    private static final String DIM = "2";
    private static final String RED = "31";
    private static final String GREEN = "32";
    private static final String YELLOW = "33";

    private final PrintStream out;
    private final boolean terminal;
    private final boolean coloured;
    private boolean lineIsOpen;

    Screen(PrintStream out, boolean terminal, boolean coloured) {
        this.out = out;
        this.terminal = terminal;
        this.coloured = coloured;
    }

    public static Screen ofThisProcess() {
        boolean terminal = isTerminal(System.console());
        return new Screen(System.out, terminal, wantsColour(terminal, System.getenv()));
    }

    /** Returns whether somebody watches, rather than a file or another program. */
    public boolean isTerminal() {
        return terminal;
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
    public void heading(String text) {
        print("");
        print(paint(BOLD, text));
    }

    /** Explains. */
    public void say(String format, Object... args) {
        print("   " + paint(DIM, format(format, args)));
    }

    /** Tells what the application did. */
    public void did(String format, Object... args) {
        print("   " + format(format, args));
    }

    /** Tells that an event arrived or a promise was kept. */
    public void good(String format, Object... args) {
        print("   " + paint(GREEN, format(format, args)));
    }

    /** Tells of a failure that the outbox deals with. */
    public void trouble(String format, Object... args) {
        print("   " + paint(YELLOW, format(format, args)));
    }

    /** Tells that the demo did not go as it should. */
    public void wrong(String format, Object... args) {
        print("   " + paint(RED, format(format, args)));
    }

    /** Prints one row of the summary. */
    public void row(String what, String value, String note) {
        print("   " + format("%-42s %10s  ", what, value) + paint(DIM, note));
    }

    /** Prints a line of figures, on a terminal in place of the one before. */
    public synchronized void figures(String format, Object... args) {
        String line = "   " + format(format, args);
        if (terminal) {
            out.print("\r" + line + "   ");
            out.flush();
            lineIsOpen = true;
        } else {
            print(line);
        }
    }

    private static String format(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }

    private String paint(String colour, String text) {
        return coloured && !text.isEmpty() ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }

    private synchronized void print(String line) {
        if (lineIsOpen) {
            out.println();
            lineIsOpen = false;
        }
        out.println(line.stripTrailing());
    }
}
