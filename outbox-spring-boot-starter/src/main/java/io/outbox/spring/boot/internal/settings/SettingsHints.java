package io.outbox.spring.boot.internal.settings;

import java.lang.reflect.Field;
import java.util.stream.Stream;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/** Keeps the declarations of settings in a native image, also those of features that are not in use there. */
final class SettingsHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        for (FeatureSettings feature : FeatureSettings.all()) {
            BindableRuntimeHintsRegistrar.forTypes(feature.properties()).registerHints(hints, classLoader);
            Declarations.fields(feature.properties()).forEach(field -> register(field, hints));
        }
    }

    private static void register(Field field, RuntimeHints hints) {
        hints.reflection().registerField(field);
        Stream.ofNullable(Declarations.accessor(field))
                .forEach(accessor -> hints.reflection().registerMethod(accessor, ExecutableMode.INVOKE));
    }
}
