package io.outbox.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Puts the outbox of a test's application into the hands of the test: nothing is delivered unless the test says so,
 * time is moved by hand, and an {@link OutboxTester} bean delivers, moves the clock and shows what was written.
 *
 * <p>For a test class with {@code @SpringBootTest}, or with a slice that has a DataSource, such as {@code @JdbcTest}
 * and {@code @DataJpaTest}; a slice gets the outbox by this annotation, and its listeners by {@code @Import}. Test
 * classes that have the same configuration otherwise share a cached context.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureOutboxTester
 * class OrdersTest {
 *
 *     @Autowired Orders orders;
 *     @Autowired OutboxTester outbox;
 *
 *     @Test
 *     void confirmsAnOrder() {
 *         orders.place("4711");
 *         assertThat(outbox).hasWritten("OrderPlaced").withAggregateId("4711");
 *
 *         outbox.deliverDue();
 *         // assert what the listener did
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@TestPropertySource(properties = "outbox.auto-startup=false")
public @interface AutoConfigureOutboxTester {}
