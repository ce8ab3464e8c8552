package io.outbox.spring.boot.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The administration leaves alone how an application answers, and is left alone by it. */
class OwnPagesTest {

    private static WebShop shop;

    @Configuration(proxyBeanMethods = false)
    @Import({OpenToAll.class, Pages.class, Advice.class})
    static class Shop {}

    @RestController
    static class Pages {

        @GetMapping("/api/orders")
        String orders() {
            throw new IllegalArgumentException("no orders");
        }

        @GetMapping("/api/payments")
        String payments() {
            throw new UnsupportedOperationException("no payments");
        }

        @GetMapping("/v3/api-docs")
        String document() {
            return "the shop's own document";
        }

        @GetMapping("/outbox-administrators")
        String neighbour() {
            return "a page whose name begins alike";
        }
    }

    @RestControllerAdvice
    static class Advice {

        @ExceptionHandler(IllegalArgumentException.class)
        ResponseEntity<String> advise(IllegalArgumentException e) {
            return ResponseEntity.status(422).body("advised: " + e.getMessage());
        }
    }

    @BeforeAll
    static void start() {
        shop = WebShop.start(Shop.class, "management.endpoints.web.exposure.include=outbox");
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    @Test
    void theApplicationHandlesItsOwnErrors() {
        HttpResponse<String> advised = shop.get("/api/orders");
        assertThat(advised.statusCode()).isEqualTo(422);
        assertThat(advised.body()).isEqualTo("advised: no orders");

        HttpResponse<String> failed = shop.get("/api/payments");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).contains("\"path\":\"/api/payments\"").doesNotContain("urn:outbox");

        HttpResponse<String> missing = shop.get("/nothing");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("\"path\":\"/nothing\"").doesNotContain("urn:outbox");
        assertThat(missing.headers().firstValue("Content-Security-Policy")).isEmpty();
    }

    @Test
    void theApplicationHasItsOwnPages() {
        assertThat(shop.get("/v3/api-docs").body()).isEqualTo("the shop's own document");
        assertThat(shop.get("/outbox-administrators").body()).isEqualTo("a page whose name begins alike");
        assertThat(shop.get("/swagger-ui/index.html").statusCode()).isEqualTo(404);
    }

    @Test
    void theAdministrationHasItsOwn() {
        HttpResponse<String> missing = shop.get("/outbox-admin/api/nothing");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
        assertThat(missing.body()).contains("urn:outbox:problem:not-found");

        // The container would refuse these characters if they were encoded as usual.
        for (String id : new String[] {"a~2Fb", "a~5Cb", "50~25", "~2E~2E", "a~3Bb"}) {
            HttpResponse<String> unknown = shop.get("/outbox-admin/api/events/" + id);
            assertThat(unknown.statusCode()).as(id).isEqualTo(404);
            assertThat(unknown.body()).contains("urn:outbox:problem", "missing");
        }

        HttpResponse<String> document = shop.get("/outbox-admin/api/openapi.json");
        assertThat(document.statusCode()).isEqualTo(200);
        assertThat(document.body()).contains("\"openapi\"");
    }

    @Test
    void theActuatorSaysWhyItRefusesARequest() {
        HttpResponse<String> action = shop.post("/actuator/outbox/paws");
        assertThat(action.statusCode()).isEqualTo(400);
        assertThat(action.body()).contains("There is no action 'paws', only [pause, resume, replay]");

        HttpResponse<String> name = shop.post("/actuator/outbox/pause/inbox");
        assertThat(name.statusCode()).isEqualTo(400);
        assertThat(name.body()).contains("There is no outbox named 'inbox', only [outbox]");

        assertThat(shop.post("/actuator/outbox/replay").body()).contains("Choose the events to replay");
        assertThat(shop.post("/actuator/outbox/pause").body()).contains("\"state\":\"PAUSED\"");
        assertThat(shop.post("/actuator/outbox/resume/outbox").body()).contains("\"state\":\"RUNNING\"");
        assertThat(shop.get("/actuator/outbox").body()).contains("\"state\":\"RUNNING\"");
    }
}
