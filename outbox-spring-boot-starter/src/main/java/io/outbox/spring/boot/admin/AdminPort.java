package io.outbox.spring.boot.admin;

import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.util.regex.Pattern;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Which server serves the administration, by {@value #KEY}. */
enum AdminPort {
    /** That of the application, and of its management where both have the same port. */
    APPLICATION,
    /** That of the application's management. */
    MANAGEMENT,
    /** The JDK's, on a port of its own. */
    OWN;

    static final String KEY = "outbox.admin.port";
    static final String DEFAULT = OutboxAdminProperties.DEFAULT_PORT;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");
    private static final int HIGHEST = 65_535;
    private static final String OF_ACTUATOR =
            "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType";

    /** Returns what the setting says; what it must not say is refused by {@link #check}. */
    static AdminPort of(Environment environment) {
        String text = environment.getProperty(KEY, DEFAULT).strip();
        if (NUMBER.matcher(text).matches()) {
            return OWN;
        }
        boolean isManagement = text.equalsIgnoreCase(MANAGEMENT.name())
                && ClassUtils.isPresent(OF_ACTUATOR, AdminPort.class.getClassLoader())
                && ManagementPortType.get(environment) == ManagementPortType.DIFFERENT;
        return isManagement ? MANAGEMENT : APPLICATION;
    }

    /** Refuses a setting by which nobody would be served where that is expected. */
    static void check(Environment environment) {
        String text = environment.getProperty(KEY, DEFAULT).strip();
        if (text.equalsIgnoreCase(MANAGEMENT.name())) {
            checkManagement(environment);
        } else if (NUMBER.matcher(text).matches() ? number(text) > HIGHEST : !text.equalsIgnoreCase(DEFAULT)) {
            throw new OutboxStartupException(
                    KEY + " is refused: it must be application, management or a port from 0 to 65535: " + text,
                    "Change " + KEY + ", or remove it");
        }
    }

    private static void checkManagement(Environment environment) {
        if (!ClassUtils.isPresent(OF_ACTUATOR, AdminPort.class.getClassLoader())) {
            throw new OutboxStartupException(
                    KEY + " is management, but Spring Boot Actuator is not on the class path, so there is no such port",
                    "Add spring-boot-starter-actuator, or remove " + KEY);
        }
        if (ManagementPortType.get(environment) == ManagementPortType.DISABLED) {
            throw new OutboxStartupException(
                    KEY + " is management, but management.server.port is negative, so that nothing is served there",
                    "Set management.server.port to a port, or remove " + KEY);
        }
    }

    static int number(String text) {
        return Integer.parseInt(text.strip());
    }
}
