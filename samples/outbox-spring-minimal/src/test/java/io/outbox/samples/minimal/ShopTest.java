package io.outbox.samples.minimal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

class ShopTest {

    @Test
    void deliversAnEventWithNoConfiguration() {
        PrintStream console = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext shop = SpringApplication.run(Shop.class)) {
            await().untilAsserted(() ->
                    assertThat(output.toString(StandardCharsets.UTF_8)).contains("Confirming {\"order\": 1}"));
            await().untilAsserted(() -> assertThat(shop.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class))
                    .isEqualTo(1));
            assertThat(shop.getBean(Outbox.class).state()).isEqualTo(OutboxStatus.State.RUNNING);
        } finally {
            System.setOut(console);
        }
    }

    @Test
    void takesFewerThanTwentyLinesOfCode() throws IOException {
        assertThat(Files.readAllLines(source()).stream()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("import ") && !line.startsWith("package ")))
                .hasSizeLessThan(20);
    }

    /** Finds the source from the directory of any module of this build. */
    private static Path source() {
        Path directory = Path.of("").toAbsolutePath();
        String source = "samples/outbox-spring-minimal/src/main/java/io/outbox/samples/minimal/Shop.java";
        while (!Files.exists(directory.resolve(source))) {
            directory = directory.getParent();
        }
        return directory.resolve(source);
    }
}
