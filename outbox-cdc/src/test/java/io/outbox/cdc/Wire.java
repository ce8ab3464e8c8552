package io.outbox.cdc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;

/**
 * A record as it is on the wire. Bytes are written as one character each, so that records can be compared and printed;
 * {@code null} stays so.
 *
 * @param headers name, {@code =} and value of each, in their order
 */
record Wire(String topic, String key, String value, List<String> headers) {

    /** Returns the record that a worker sends with these converters. */
    static Wire of(SourceRecord sent, Converter key, Converter value, HeaderConverter header) {
        List<String> headers = new ArrayList<>();
        sent.headers()
                .forEach(each -> headers.add(each.key() + "="
                        + text(header.fromConnectHeader(sent.topic(), each.key(), each.schema(), each.value()))));
        return new Wire(
                sent.topic(),
                text(key.fromConnectData(sent.topic(), sent.keySchema(), sent.key())),
                text(value.fromConnectData(sent.topic(), sent.valueSchema(), sent.value())),
                headers);
    }

    static Wire of(String topic, byte[] key, byte[] value, Headers sent) {
        List<String> headers = new ArrayList<>();
        for (Header header : sent) {
            headers.add(header.key() + "=" + text(header.value()));
        }
        return new Wire(topic, text(key), text(value), headers);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Returns the value of the header of this name, or {@code null}. */
    String header(String name) {
        return headers.stream()
                .filter(header -> header.startsWith(name + "="))
                .map(header -> header.substring(name.length() + 1))
                .findFirst()
                .orElse(null);
    }

    /** Returns what has been written as UTF-8. */
    static String utf8(String bytes) {
        return bytes == null ? null : new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
