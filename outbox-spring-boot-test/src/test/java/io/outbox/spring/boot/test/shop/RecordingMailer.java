package io.outbox.spring.boot.test.shop;

import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Keeps the mails, and fails as often as it is told to. */
@Component
public class RecordingMailer implements Mailer {

    private final List<String> sent = new ArrayList<>();
    private int failures;

    @Override
    public void send(String text) {
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("the mail server is down");
        }
        sent.add(text);
    }

    public List<String> sent() {
        return List.copyOf(sent);
    }

    public void failing(int times) {
        failures = times;
    }

    public void reset() {
        sent.clear();
        failures = 0;
    }
}
