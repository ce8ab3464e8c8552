package io.outbox.admin;

import java.io.OutputStream;

/** What follows the headers of a response little by little, instead of a body. */
public interface AdminStream {

    /**
     * Writes from now on, on threads of the administration, until the other end is gone or the stream is over. Returns
     * at once. An adapter that does not start it answers with nothing, and its callers ask again and again instead.
     *
     * @param end called once, on one of those threads or on this one, when nothing more is going to be written
     */
    void start(OutputStream out, Runnable end);
}
