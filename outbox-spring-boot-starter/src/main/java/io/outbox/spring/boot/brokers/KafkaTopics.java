package io.outbox.spring.boot.brokers;

import java.util.regex.Pattern;

/** The names that Kafka takes for topics. */
final class KafkaTopics {

    /** The rule for names, for messages. */
    static final String RULE =
            "is not a valid name for a Kafka topic: use 1 to 249 letters, digits, dots, underscores and dashes";

    private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");

    private KafkaTopics() {}

    static boolean isName(String topic) {
        return NAME.matcher(topic).matches();
    }
}
