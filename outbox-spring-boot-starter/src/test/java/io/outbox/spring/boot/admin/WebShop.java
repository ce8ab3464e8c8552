package io.outbox.spring.boot.admin;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with the administration on a real server. */
final class WebShop implements AutoCloseable {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
            })
    static class Application {}

    private static final String APPLICATION_PORT = "local.server.port";

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    private WebShop(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static WebShop start(Class<?> configuration, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.web-application-type=servlet",
                "server.port=0",
                "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "outbox.admin.enabled=true"));
        all.addAll(List.of(settings));
        return new WebShop(new SpringApplicationBuilder(Application.class, configuration)
                .run(all.stream().map(setting -> "--" + setting).toArray(String[]::new)));
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", APPLICATION_PORT, path, headers);
    }

    HttpResponse<String> post(String path, String... headers) {
        return send("POST", APPLICATION_PORT, path, headers);
    }

    HttpResponse<String> getFromManagement(String path, String... headers) {
        return send("GET", "local.management.port", path, headers);
    }

    HttpResponse<String> postToManagement(String path, String... headers) {
        return send("POST", "local.management.port", path, headers);
    }

    private HttpResponse<String> send(String method, String port, String path, String... headers) {
        URI uri = URI.create("http://localhost:" + context.getEnvironment().getProperty(port) + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
