package io.outbox.samples.kotlin

import io.outbox.OutboxPublisher
import io.outbox.spring.boot.OutboxListener
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.stereotype.Component
import org.springframework.transaction.annotation.Transactional
import java.util.concurrent.CopyOnWriteArrayList

data class OrderPlaced(val id: String, val items: List<Item>, val note: String? = null)

data class Item(val name: String, val quantity: Int = 1)

@SpringBootApplication
class Shop

@Component
class Orders(private val outbox: OutboxPublisher) {

    @Transactional
    fun place(id: String, vararg items: Item) {
        outbox.publish(OrderPlaced(id, items.toList()))
    }
}

@Component
class Confirmations {

    val sent = CopyOnWriteArrayList<OrderPlaced>()

    @OutboxListener
    fun send(order: OrderPlaced) {
        sent += order
        println("Confirming ${order.id}: ${order.items.joinToString { "${it.quantity} x ${it.name}" }}")
    }
}

fun main(args: Array<String>) {
    runApplication<Shop>(*args).getBean(Orders::class.java).place("42", Item("book"), Item("pen", 3))
}
