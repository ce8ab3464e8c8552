package io.outbox.spring.boot.test.shop;

/** The outside world. */
public interface Mailer {

    void send(String text);
}
