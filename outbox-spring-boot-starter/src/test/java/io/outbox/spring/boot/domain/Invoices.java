package io.outbox.spring.boot.domain;

import org.springframework.data.repository.CrudRepository;

interface Invoices extends CrudRepository<Invoice, String> {}
