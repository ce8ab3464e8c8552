package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testservers.broker.Outcomes;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class SendFailuresTest {

    private static String word(Exception error) {
        return Outcomes.words(List.of(SendFailures.outcome("orders", error))).get(0);
    }

    @Test
    void aMissingRightToWriteToATopicIsAFailedAttempt() {
        assertThat(word(new TopicAuthorizationException("orders"))).isEqualTo("failed");
        assertThat(word(new KafkaException("given up", new TopicAuthorizationException("orders"))))
                .isEqualTo("failed");
    }

    @Test
    void aWrongIdentityConcernsEveryEvent() {
        assertThat(word(new ClusterAuthorizationException("no"))).isEqualTo("unavailable");
        assertThat(word(new SaslAuthenticationException("no"))).isEqualTo("unavailable");
    }

    @Test
    void whatTheProducerRetriedUntilItsTimeoutIsNoFaultOfTheEvents() {
        assertThat(word(new OutOfOrderSequenceException("no"))).isEqualTo("unavailable");
        assertThat(word(new CorruptRecordException("no"))).isEqualTo("unavailable");
        assertThat(word(new NotEnoughReplicasException("no"))).isEqualTo("unavailable");
        assertThat(word(new CoordinatorNotAvailableException("no"))).isEqualTo("unavailable");
    }

    @Test
    void aTopicThatIsMissingIsAFailedAttempt() {
        assertThat(word(new UnknownTopicOrPartitionException("orders"))).isEqualTo("failed");
        assertThat(word(new TimeoutException("no", new UnknownTopicOrPartitionException("orders"))))
                .isEqualTo("failed");
    }

    @Test
    void anEventThatIsTooLargeIsDead() {
        assertThat(word(new RecordTooLargeException("no"))).isEqualTo("dead");
    }
}
