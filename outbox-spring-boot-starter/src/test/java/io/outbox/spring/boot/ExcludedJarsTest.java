package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutboxPublisher;
import io.outbox.testservers.support.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The starter without the jars that an application may exclude from it, as the page about Spring says. */
class ExcludedJarsTest {

    private static final String EXCLUDED =
            ".*[/\\\\]outbox-(admin|redis|kafka|rabbitmq)(-\\d[^/\\\\]*\\.jar|[/\\\\]target.*)";

    record Order(int id) {}

    static class Shop {

        public static void main(String[] args) {
            try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(TestApplication.class)
                    .sources(Shop.class)
                    .web(WebApplicationType.NONE)
                    .run(args)) {
                Deliveries.inTransaction(
                        shop, () -> shop.getBean(OutboxPublisher.class).publish(new Order(7)));
            }
        }

        @OutboxListener
        void on(Order order) {
            System.out.println("delivered " + order.id());
        }
    }

    @Test
    void deliversWithoutThem(@TempDir Path directory) throws Exception {
        List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        List<String> left =
                all.stream().filter(entry -> !entry.matches(EXCLUDED)).toList();
        assertThat(all.size() - left.size()).as("jars of %s", all).isEqualTo(4);
        List<String> command = new ArrayList<>(ChildJvm.command(
                List.of("-Dspring.flyway.enabled=false", "-Dspring.liquibase.enabled=false"), Shop.class));
        command.set(command.indexOf("-cp") + 1, String.join(File.pathSeparator, left));
        Path output = directory.resolve("output.txt");

        int exit = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();

        assertThat(Files.readString(output)).contains("delivered 7");
        assertThat(exit).isZero();
    }

    /** The page's table is what the pom has. */
    @Test
    void arePartOfTheStarterAndNamedOnItsPage() throws Exception {
        String pom = Files.readString(Path.of("../outbox-spring-boot-starter/pom.xml"));
        String page = Files.readString(Path.of("../docs/spring.md"));
        String section =
                page.substring(page.indexOf("## What the starter brings"), page.indexOf("## Several DataSources"));
        List<String> brought = Arrays.stream(
                        pom.substring(pom.indexOf("<dependencies>", pom.indexOf("</dependencyManagement>")))
                                .split("</dependency>"))
                .filter(dependency -> dependency.contains("<groupId>io.outbox</groupId>"))
                .filter(dependency -> !dependency.contains("<scope>test") && !dependency.contains("<optional>true"))
                .map(dependency -> dependency.replaceAll("(?s).*?<artifactId>(outbox-[a-z0-9-]+)</artifactId>.*", "$1"))
                .collect(Collectors.toList());
        assertThat(brought).contains("outbox-core", "outbox-jdbc");
        brought.removeAll(List.of("outbox-core", "outbox-jdbc", "outbox-spring-adapter", "outbox-spring-boot3"));
        assertThat(brought).isNotEmpty().allSatisfy(jar -> assertThat(section).contains("`" + jar + "`"));
    }
}
