package io.outbox.benchmarks;

import io.outbox.BatchEventListener;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A Kafka broker with one topic; both ways of sending use {@code acks=all} and the client's other defaults. */
final class KafkaTarget implements BrokerTarget {

    private static final TopicPartition PARTITION = new TopicPartition("benchmark", 0);

    private final KafkaServer server;
    private final TcpProxy way;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaEventPublisher publisher;
    private final Strays strays = new Strays();
    private long seen;

    private KafkaTarget(KafkaServer server, TcpProxy way) {
        this.server = server;
        this.way = way;
        Map<String, Object> config = Map.of("bootstrap.servers", server.bootstrapServers(), "acks", "all");
        this.admin = Admin.create(config);
        this.producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.publisher = KafkaEventPublisher.builder()
                .producerConfig(config)
                .topic(event -> strays.targetOf(event, PARTITION.topic()))
                .batchSize(BATCH)
                .build();
    }

    static KafkaTarget start() throws Exception {
        return withTopic(new KafkaTarget(KafkaServer.start(), null));
    }

    /** Starts a broker that is so far away, in each direction. */
    static KafkaTarget startAt(Duration distance) throws Exception {
        KafkaServer server = KafkaServer.start();
        TcpProxy way = TcpProxy.start(server.port());
        server.advertise(way);
        KafkaTarget target = withTopic(new KafkaTarget(server, way));
        way.distance(distance);
        return target;
    }

    private static KafkaTarget withTopic(KafkaTarget target) throws Exception {
        target.admin
                .createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1)))
                .all()
                .get();
        return target;
    }

    @Override
    public String name() {
        return "Kafka";
    }

    @Override
    public String bareLoop() {
        return "bare producer: send all, flush, await";
    }

    @Override
    public BatchEventListener publisher() {
        return publisher;
    }

    @Override
    public Strays strays() {
        return strays;
    }

    @Override
    public void sendBare(List<EventEnvelope> events) throws Exception {
        List<Future<?>> acknowledgements = new ArrayList<>(events.size());
        for (EventEnvelope event : events) {
            ProducerRecord<byte[], byte[]> outgoing =
                    new ProducerRecord<>(PARTITION.topic(), null, event.payloadBytes());
            OutboxHeaders.of(event)
                    .forEach((name, text) -> outgoing.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
            acknowledgements.add(producer.send(outgoing));
        }
        producer.flush();
        for (Future<?> acknowledgement : acknowledgements) {
            acknowledgement.get();
        }
    }

    @Override
    public long arrived() throws Exception {
        long end = admin.listOffsets(Map.of(PARTITION, OffsetSpec.latest()))
                .partitionResult(PARTITION)
                .get()
                .offset();
        long arrived = end - seen;
        seen = end;
        return arrived;
    }

    @Override
    public void close() {
        publisher.close();
        producer.close();
        admin.close();
        if (way != null) {
            way.close();
        }
        server.close();
    }
}
