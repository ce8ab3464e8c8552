package io.outbox.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The classes of the published modules. */
final class Modules {

    static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.outbox");

    static final JavaClasses CORE = of("outbox-core");

    private Modules() {}

    /** Returns the classes of one module. */
    static JavaClasses of(String module) {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(
                        location -> location.contains("/" + module + "/") || location.contains(module + "-0."))
                .importPackages("io.outbox");
    }
}
