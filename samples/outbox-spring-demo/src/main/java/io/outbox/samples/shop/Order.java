package io.outbox.samples.shop;

/** An order as its customer sees it. */
record Order(String id, String item, int quantity, boolean confirmed) {}
