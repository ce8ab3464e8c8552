package io.outbox.jdbc.fault;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to run a class of the tests in a JVM of its own. */
final class ChildJvm {

    private ChildJvm() {}

    /** Returns the command line, to which the program's arguments can be added. */
    static List<String> command(List<String> options, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
