package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.internal.declaring.Circumstance;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Reads settings from the fields of properties: those that have an accessor, also of nested classes and of
 * superclasses.
 */
final class Declarations {

    private Declarations() {}

    /** @param prefix what their keys begin with */
    static List<DeclaredSetting> of(Class<?> properties, String prefix) {
        return read(properties, prefix, UnaryOperator.identity(), Set.of()).toList();
    }

    /** Returns the fields of properties, those of nested classes too. */
    static Stream<Field> fields(Class<?> properties) {
        return ownFields(properties)
                .flatMap(field -> Stream.concat(
                        Stream.of(field),
                        Stream.of(field.getType(), entryType(field))
                                .filter(Declarations::isNested)
                                .flatMap(Declarations::fields)));
    }

    private static Stream<Field> ownFields(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        return Stream.concat(
                        isNested(superclass) ? ownFields(superclass) : Stream.empty(),
                        Stream.of(type.getDeclaredFields()))
                .filter(field -> !Modifier.isStatic(field.getModifiers()));
    }

    private static Stream<DeclaredSetting> read(
            Class<?> type, String prefix, UnaryOperator<Object> path, Set<Circumstance> noEffect) {
        return ownFields(type).flatMap(field -> read(field, prefix, path, noEffect));
    }

    private static Stream<DeclaredSetting> read(
            Field field, String prefix, UnaryOperator<Object> path, Set<Circumstance> inherited) {
        Method accessor = accessor(field);
        if (accessor == null) {
            return Stream.empty();
        }
        Setting declared = field.getAnnotation(Setting.class);
        Set<Circumstance> noEffect = EnumSet.noneOf(Circumstance.class);
        noEffect.addAll(inherited);
        noEffect.addAll(declared == null ? Set.of() : Set.of(declared.noEffect()));
        String key = prefix + DataObjectPropertyName.toDashedForm(field.getName());
        UnaryOperator<Object> value = owner -> ReflectionUtils.invokeMethod(accessor, path.apply(owner));
        if (isNested(field.getType())) {
            return read(field.getType(), key + ".", value, noEffect);
        }
        Class<?> entry = entryType(field);
        return Stream.of(new DeclaredSetting(
                key,
                value,
                declared == null ? Rule.ANY : declared.rule(),
                declared == null ? ChronoUnit.FOREVER : declared.orNumberOf(),
                declared == null ? "" : declared.meaning(),
                noEffect,
                isNested(entry) ? of(entry, "") : List.of()));
    }

    private static Class<?> entryType(Field map) {
        return ResolvableType.forField(map).asMap().getGeneric(1).resolve(Object.class);
    }

    /** Returns {@code null} if the field is none of a setting. */
    static Method accessor(Field field) {
        String name = StringUtils.capitalize(field.getName());
        return Stream.of(field.getName(), "get" + name, "is" + name)
                .map(method -> ReflectionUtils.findMethod(field.getDeclaringClass(), method))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a type has settings of its own, as opposed to being the type of one. */
    private static boolean isNested(Class<?> type) {
        return type.getName().startsWith("io.outbox.spring.boot.") && !type.isEnum();
    }
}
