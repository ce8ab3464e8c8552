package io.outbox.kafka;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer of the publisher's own, whose meters end with it. Thread-safe. */
final class MeteredProducer extends KafkaProducer<byte[], byte[]> {

    private static final System.Logger LOG = System.getLogger(MeteredProducer.class.getName());

    private final AutoCloseable meters;

    MeteredProducer(Map<String, Object> config, Function<Producer<?, ?>, AutoCloseable> meters) {
        super(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.meters = meters.apply(this);
    }

    @Override
    public void close(Duration timeout) {
        try {
            meters.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, "The meters of a Kafka producer cannot be removed", e);
        }
        super.close(timeout);
    }
}
