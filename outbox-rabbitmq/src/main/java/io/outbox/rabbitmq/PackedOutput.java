package io.outbox.rabbitmq;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A stream that can gather what is written, so that many small pieces take one write. While somebody gathers, a flush
 * does nothing. Thread-safe.
 */
final class PackedOutput extends OutputStream {

    static final int CAPACITY = 64 * 1024;

    private final OutputStream target;
    private final byte[] gathered = new byte[CAPACITY];
    private int size;
    private int gathering;

    PackedOutput(OutputStream target) {
        this.target = target;
    }

    /** Holds back what is written from now on, until {@link #send}, or until there is more than fits. */
    synchronized void gather() {
        gathering++;
    }

    /** Ends what {@link #gather} began, and writes what is gathered, also if others still gather. */
    synchronized void send() throws IOException {
        gathering--;
        writeGathered();
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (length > CAPACITY - size) {
            writeGathered();
        }
        if (length > CAPACITY) {
            target.write(bytes, offset, length);
        } else {
            System.arraycopy(bytes, offset, gathered, size, length);
            size += length;
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        if (gathering == 0) {
            writeGathered();
        }
    }

    private void writeGathered() throws IOException {
        int length = size;
        size = 0;
        if (length > 0) {
            target.write(gathered, 0, length);
        }
        target.flush();
    }

    /** Closes the stream below without waiting for a write that is stuck. */
    @Override
    public void close() throws IOException {
        target.close();
    }
}
