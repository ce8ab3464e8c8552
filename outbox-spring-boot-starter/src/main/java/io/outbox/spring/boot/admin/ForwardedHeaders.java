package io.outbox.spring.boot.admin;

import java.util.List;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/** Whether the server takes from headers where requests come from, by the rules of Spring Boot. */
final class ForwardedHeaders {

    private static final String STRATEGY = "server.forward-headers-strategy";

    /** Each of these makes Tomcat heed headers, whatever the strategy. */
    private static final List<String> HEADERS_OF_TOMCAT =
            List.of("server.tomcat.remoteip.remote-ip-header", "server.tomcat.remoteip.protocol-header");

    private ForwardedHeaders() {}

    public static boolean areHeeded(Environment environment) {
        String strategy = environment.getProperty(STRATEGY);
        boolean byStrategy =
                strategy == null ? isUsualIn(environment) : !strategy.strip().equalsIgnoreCase("none");
        return byStrategy || HEADERS_OF_TOMCAT.stream().anyMatch(environment::containsProperty);
    }

    private static boolean isUsualIn(Environment environment) {
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform != null && platform.isUsingForwardHeaders();
    }
}
