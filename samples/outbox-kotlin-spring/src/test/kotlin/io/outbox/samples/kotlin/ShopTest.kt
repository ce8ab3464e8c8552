package io.outbox.samples.kotlin

import io.outbox.spring.boot.OutboxListener
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.runApplication
import java.time.Duration

class ShopTest {

    @Test
    fun `a data class comes as it was published, defaults included`() {
        runApplication<Shop>().use { shop ->
            shop.getBean(Orders::class.java).place("42", Item("book"), Item("pen", 3))

            val sent = shop.getBean(Confirmations::class.java).sent
            await().atMost(Duration.ofSeconds(30)).until { sent.isNotEmpty() }
            assertThat(sent).containsExactly(OrderPlaced("42", listOf(Item("book", 1), Item("pen", 3)), null))
        }
    }

    @Test
    fun `a suspend function is refused with the way out`() {
        assertThatThrownBy { SpringApplicationBuilder(Shop::class.java, Suspending::class.java).run() }
            .rootCause()
            .hasMessageContaining("it is a suspend function, which returns before its work is done")
    }
}

class Suspending {

    @OutboxListener(eventType = "Other")
    @Suppress("RedundantSuspendModifier", "UNUSED_PARAMETER")
    suspend fun on(order: OrderPlaced) {
    }
}
