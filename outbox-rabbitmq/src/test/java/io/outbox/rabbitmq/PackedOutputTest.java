package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedOutputTest {

    private final RecordedWrites target = new RecordedWrites();
    private final PackedOutput output = new PackedOutput(target);

    /** Remembers how much each write brought, and all bytes. */
    private static final class RecordedWrites extends OutputStream {

        final List<Integer> sizes = new ArrayList<>();
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean broken;

        @Override
        public void write(int b) {
            throw new AssertionError("byte by byte");
        }

        @Override
        public void write(byte[] written, int offset, int length) throws IOException {
            if (broken) {
                throw new IOException("broken pipe");
            }
            sizes.add(length);
            bytes.write(written, offset, length);
        }
    }

    private void message(int length) throws IOException {
        output.write(new byte[length], 0, length);
        output.flush();
    }

    @Test
    void messagesGoOutOneByOneWhileNobodyGathers() throws IOException {
        message(10);
        message(20);

        assertThat(target.sizes).containsExactly(10, 20);
    }

    @Test
    void gatheredMessagesGoOutTogether() throws IOException {
        output.gather();
        message(10);
        message(20);
        output.write(7);
        assertThat(target.sizes).isEmpty();

        output.send();

        assertThat(target.sizes).containsExactly(31);
        message(5);
        assertThat(target.sizes).containsExactly(31, 5);
    }

    @Test
    void whatOneHasGatheredDoesNotWaitForAnother() throws IOException {
        output.gather();
        message(10);
        output.gather();
        message(20);

        output.send();
        assertThat(target.sizes).containsExactly(30);
        message(5);
        output.send();

        assertThat(target.sizes).containsExactly(30, 5);
    }

    @Test
    void moreThanFitsIsWrittenInOrder() throws IOException {
        Random random = new Random(42);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        output.gather();
        for (int length : new int[] {
            1,
            PackedOutput.CAPACITY - 1,
            1,
            PackedOutput.CAPACITY,
            3 * PackedOutput.CAPACITY,
            5,
            PackedOutput.CAPACITY + 1,
            0
        }) {
            byte[] message = new byte[length];
            random.nextBytes(message);
            expected.writeBytes(message);
            output.write(message, 0, length);
            output.flush();
        }
        output.send();

        assertThat(target.bytes.toByteArray()).isEqualTo(expected.toByteArray());
    }

    @Test
    void aBrokenConnectionIsNoticedBySending() throws IOException {
        output.gather();
        message(10);
        target.broken = true;

        assertThatThrownBy(output::send).isInstanceOf(IOException.class).hasMessage("broken pipe");
    }
}
