package io.outbox.spring.boot.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application under test. */
@SpringBootApplication
public class Shop {}
