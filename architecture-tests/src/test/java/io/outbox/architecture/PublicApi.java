package io.outbox.architecture;

import static java.util.function.Predicate.not;
import static java.util.stream.Collectors.joining;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What others may compile against: public types outside of {@code internal} packages, and their public and protected
 * members.
 *
 * <p>It is a text with one line for each type, followed by one for each supertype and member. A line starts with the
 * words that restrict users ({@link #RESTRICTIONS}). Later versions may drop such words, and must keep everything else.
 * A type that is followed by {@link #NULLABLE} may be null.
 */
record PublicApi(Map<String, Map<String, Line>> types) {

    private static final List<String> RESTRICTIONS = List.of("protected", "abstract", "sealed", "final");

    private static final String NULLABLE = "|null";

    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals(java.lang.Object)", "hashCode()", "toString()");

    /** A type, a supertype or a member. */
    record Line(List<String> restrictions, String signature) {

        static Line parse(String text) {
            List<String> words = List.of(text.strip().split(" "));
            List<String> restrictions =
                    words.stream().takeWhile(RESTRICTIONS::contains).toList();
            return new Line(restrictions, String.join(" ", words.subList(restrictions.size(), words.size())));
        }

        /** What is the same in later versions, whatever may be null in them. */
        String key() {
            return signature.replace(NULLABLE, "");
        }

        /** Returns whether users get null from a later version, or can no longer pass it. */
        boolean isTakenBy(Line later) {
            int end = signature.lastIndexOf(')') + 1;
            int laterEnd = later.signature.lastIndexOf(')') + 1;
            if (later.signature.substring(laterEnd).contains(NULLABLE)
                    && !signature.substring(end).contains(NULLABLE)) {
                return true;
            }
            String[] parameters = signature.substring(0, end).split("[,)]");
            String[] laterParameters = later.signature.substring(0, laterEnd).split("[,)]");
            return IntStream.range(0, parameters.length)
                    .anyMatch(i -> parameters[i].endsWith(NULLABLE) && !laterParameters[i].endsWith(NULLABLE));
        }

        @Override
        public String toString() {
            return Stream.concat(restrictions.stream(), Stream.of(signature)).collect(joining(" "));
        }
    }

    /** Returns what classes show. */
    static PublicApi of(Iterable<JavaClass> classes) {
        List<String> lines = new ArrayList<>();
        Map<String, JavaClass> shown = new TreeMap<>();
        classes.forEach(type -> {
            if (isShown(type)) {
                shown.put(type.getName(), type);
            }
        });
        shown.values().forEach(type -> {
            lines.add(header(type).toString());
            members(type).map(Line::toString).distinct().sorted().forEach(line -> lines.add("  " + line));
        });
        return parse(lines);
    }

    /** Reads what {@link #lines} has written. */
    static PublicApi parse(List<String> lines) {
        Map<String, Map<String, Line>> types = new LinkedHashMap<>();
        Map<String, Line> members = Map.of();
        for (String text : lines) {
            Line line = Line.parse(text);
            if (!text.startsWith(" ")) {
                members = types.computeIfAbsent(line.key(), key -> new LinkedHashMap<>());
            }
            members.put(line.key(), line);
        }
        return new PublicApi(types);
    }

    /** Returns the text: a line for each type, and indented lines for what it has. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        types.forEach(
                (type, members) -> members.forEach((key, line) -> lines.add((key.equals(type) ? "" : "  ") + line)));
        return lines;
    }

    /** Returns what of a former version is missing or more restricted here, and what its implementations would lack. */
    List<String> breaks(PublicApi former) {
        List<String> breaks = new ArrayList<>();
        former.types.forEach((type, before) -> {
            Map<String, Line> now = types.get(type);
            if (now == null) {
                breaks.add("removed: " + type);
                return;
            }
            before.forEach((signature, line) -> {
                if (!now.containsKey(signature)) {
                    breaks.add("removed: " + signature + " of " + type);
                } else if (!line.restrictions().containsAll(now.get(signature).restrictions())) {
                    breaks.add("more restricted: " + now.get(signature) + " of " + type + ", was: " + line);
                } else if (line.isTakenBy(now.get(signature))) {
                    breaks.add("other nullness: " + now.get(signature) + " of " + type + ", was: " + line);
                }
            });
            now.forEach((signature, line) -> {
                if (!before.containsKey(signature) && line.restrictions().contains("abstract")) {
                    breaks.add("to be implemented: " + line + " of " + type);
                }
            });
        });
        return breaks;
    }

    private static boolean isShown(JavaClass type) {
        return isVisible(type.getModifiers())
                && !(type.getPackageName() + ".").contains(".internal.")
                && !type.getSimpleName().equals("package-info")
                && type.getEnclosingClass().map(PublicApi::isShown).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static Line header(JavaClass type) {
        List<String> restrictions = restrictions(type.getModifiers());
        if (type.isInterface() || type.isEnum() || type.isRecord()) {
            restrictions.clear(); // those that its kind implies
        }
        if (type.isSealed()) {
            restrictions.add("sealed");
        }
        String kind = type.isAnnotation()
                ? "annotation"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        return new Line(restrictions, kind + " " + type.getName() + variables(type.getTypeParameters()));
    }

    private static Stream<Line> members(JavaClass type) {
        return Stream.concat(
                supertypes(type).map(name -> new Line(List.of(), "is " + name)),
                owners(type)
                        .flatMap(owner -> owner.getMembers().stream()
                                .filter(member -> isVisible(member.getModifiers()))
                                .filter(member ->
                                        owner == type || !(member instanceof JavaCodeUnit unit && unit.isConstructor()))
                                .filter(not(PublicApi::isOfEveryObject))
                                .map(member -> member(type, member))));
    }

    /**
     * Returns the supertypes that others can name; of foreign ones not those above them, which depend on the version in
     * use.
     */
    private static Stream<String> supertypes(JavaClass type) {
        return above(type)
                .filter(parent -> !parent.getName().equals("java.lang.Object"))
                .flatMap(parent -> {
                    Stream<String> name =
                            !isOurs(parent) || isShown(parent) ? Stream.of(parent.getName()) : Stream.of();
                    return isOurs(parent) ? Stream.concat(name, supertypes(parent)) : name;
                });
    }

    /** Returns a type and those above it that nobody else can see, whose members therefore seem to be its own. */
    private static Stream<JavaClass> owners(JavaClass type) {
        return Stream.concat(
                Stream.of(type),
                above(type).filter(parent -> isOurs(parent) && !isShown(parent)).flatMap(PublicApi::owners));
    }

    private static Stream<JavaClass> above(JavaClass type) {
        return Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream());
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith("io.outbox");
    }

    private static boolean isOfEveryObject(JavaMember member) {
        return member instanceof JavaMethod method
                && OF_EVERY_OBJECT.contains(
                        method.getName() + parameters(method).replace(NULLABLE, ""));
    }

    private static Line member(JavaClass type, JavaMember member) {
        List<String> restrictions = restrictions(member.getModifiers());
        if (type.isSealed()
                || member instanceof JavaMethod method
                        && method.getDefaultValue().isPresent()) {
            restrictions.remove("abstract"); // nobody else has to implement it
        }
        if (type.getModifiers().contains(JavaModifier.FINAL)) {
            restrictions.remove("final");
        }
        String kind = member.getModifiers().contains(JavaModifier.STATIC) ? "static " : "";
        return new Line(restrictions, kind + signature(type, member));
    }

    private static String signature(JavaClass type, JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getName() + ": " + name(field.getType()) + (NullableTypes.isNullable(field) ? NULLABLE : "");
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        String name = unit.isConstructor()
                ? "new" + variables(unit.getTypeParameters()) + parameters(unit)
                : unit.getName()
                        + variables(unit.getTypeParameters())
                        + parameters(unit)
                        + ": "
                        + name(unit.getReturnType())
                        + (NullableTypes.isResultNullable(unit) ? NULLABLE : "");
        List<JavaClass> thrown = unit.getExceptionTypes();
        return thrown.isEmpty()
                ? name
                : name + thrown.stream().map(JavaClass::getName).collect(joining(", ", " throws ", ""));
    }

    private static String parameters(JavaCodeUnit unit) {
        List<JavaType> types = unit.getParameterTypes();
        return IntStream.range(0, types.size())
                .mapToObj(i -> name(types.get(i)) + (NullableTypes.isParameterNullable(unit, i) ? NULLABLE : ""))
                .collect(joining(", ", "(", ")"));
    }

    private static String variables(List<? extends JavaTypeVariable<?>> variables) {
        return variables.isEmpty()
                ? ""
                : variables.stream().map(PublicApi::variable).collect(joining(", ", "<", ">"));
    }

    private static String variable(JavaTypeVariable<?> variable) {
        String bounds = variable.getUpperBounds().stream()
                .map(PublicApi::name)
                .filter(not("java.lang.Object"::equals))
                .collect(joining(" & "));
        return bounds.isEmpty() ? variable.getName() : variable.getName() + " extends " + bounds;
    }

    private static String name(JavaType type) {
        return type instanceof JavaClass array && array.isArray()
                ? name(array.getComponentType()) + "[]"
                : type.getName();
    }

    private static List<String> restrictions(Set<JavaModifier> modifiers) {
        return new ArrayList<>(RESTRICTIONS.stream()
                .filter(word ->
                        modifiers.stream().anyMatch(modifier -> modifier.name().equalsIgnoreCase(word)))
                .toList());
    }
}
