package io.outbox.soak.cluster;

import java.io.File;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * By which code nodes run. With jars of a former version in {@code soak.former}, the first node of each slot but the
 * last has those, and the ones in its place the present code: a rolling upgrade, in which both versions write and
 * deliver.
 */
final class ClassPaths {

    private static final Pattern OURS = Pattern.compile(".*/outbox-(core|jdbc|kafka|redis)[-/].*");

    private ClassPaths() {}

    static String of(boolean former) {
        String present = System.getProperty("java.class.path");
        String jars = System.getProperty("soak.former");
        if (!former || jars == null) {
            return present;
        }
        return Arrays.stream(present.split(File.pathSeparator))
                .filter(entry -> !OURS.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator, jars + File.separator + "*" + File.pathSeparator, ""));
    }
}
