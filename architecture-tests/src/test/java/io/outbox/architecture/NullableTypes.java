package io.outbox.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.TypePath;
import org.objectweb.asm.TypeReference;

/** Which results, parameters and fields are {@code @Nullable}. ArchUnit does not read annotations of types. */
final class NullableTypes {

    private static final String NULLABLE = "Lorg/jspecify/annotations/Nullable;";
    private static final Map<String, Set<String>> BY_CLASS = new ConcurrentHashMap<>();

    private NullableTypes() {}

    static boolean isNullable(JavaField field) {
        return of(field.getOwner()).contains(field.getName());
    }

    static boolean isResultNullable(JavaCodeUnit unit) {
        return of(unit.getOwner()).contains(unit.getName() + unit.getDescriptor());
    }

    static boolean isParameterNullable(JavaCodeUnit unit, int index) {
        return of(unit.getOwner()).contains(unit.getName() + unit.getDescriptor() + index);
    }

    private static Set<String> of(JavaClass type) {
        return BY_CLASS.computeIfAbsent(type.getName(), name -> read(type));
    }

    private static Set<String> read(JavaClass type) {
        Set<String> found = new HashSet<>();
        try (InputStream file = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(file).accept(new Reader(found), ClassReader.SKIP_CODE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static final class Reader extends ClassVisitor {

        private final Set<String> found;

        private Reader(Set<String> found) {
            super(Opcodes.ASM9);
            this.found = found;
        }

        @Override
        public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
            return new FieldVisitor(api) {
                @Override
                public AnnotationVisitor visitTypeAnnotation(
                        int type, TypePath path, String annotation, boolean visible) {
                    if (path == null && annotation.equals(NULLABLE)) {
                        found.add(name);
                    }
                    return null;
                }
            };
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(api) {
                @Override
                public AnnotationVisitor visitTypeAnnotation(
                        int type, TypePath path, String annotation, boolean visible) {
                    TypeReference place = new TypeReference(type);
                    if (path == null && annotation.equals(NULLABLE)) {
                        if (place.getSort() == TypeReference.METHOD_RETURN) {
                            found.add(name + descriptor);
                        } else if (place.getSort() == TypeReference.METHOD_FORMAL_PARAMETER) {
                            found.add(name + descriptor + place.getFormalParameterIndex());
                        }
                    }
                    return null;
                }
            };
        }
    }
}
