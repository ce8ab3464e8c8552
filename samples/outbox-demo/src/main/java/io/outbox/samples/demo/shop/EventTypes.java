package io.outbox.samples.demo.shop;

/** The events of the shop, all of them about an order. */
final class EventTypes {

    static final String AGGREGATE_TYPE = "Order";

    static final String ORDER_PLACED = "OrderPlaced";
    static final String PAYMENT_REQUESTED = "PaymentRequested";
    static final String PARCEL_SHIPPED = "ParcelShipped";
    static final String INVOICE_REQUESTED = "InvoiceRequested";
    static final String MAIL_REQUESTED = "MailRequested";

    private EventTypes() {}
}
