package io.outbox.samples.demo.shop;

/** What a customer orders, and the payload of all events about it. */
record Order(int number, String customer, String item, String country, int cents) {

    String id() {
        return "order-" + number;
    }
}
