package io.outbox.samples.shop;

/** The payload of the event of the same name. */
record OrderPlaced(String orderId, String item, int quantity) {

    static final String TYPE = "OrderPlaced";
}
