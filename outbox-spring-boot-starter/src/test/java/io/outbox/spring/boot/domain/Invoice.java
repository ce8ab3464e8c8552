package io.outbox.spring.boot.domain;

import io.outbox.spring.boot.Outboxed;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.springframework.data.domain.AbstractAggregateRoot;

/** An aggregate that tells of itself when its repository saves it. */
@Entity
class Invoice extends AbstractAggregateRoot<Invoice> {

    @Id
    private String id;

    protected Invoice() {}

    Invoice(String id) {
        this.id = id;
        registerEvent(new InvoiceWritten(id));
    }

    @Outboxed(aggregateType = "Invoice", aggregateId = "#{invoiceId}")
    record InvoiceWritten(String invoiceId) {}
}
