/**
 * What senders to brokers have in common: their builder's settings, the headers of their messages, what a broker has
 * answered for a batch, and the watch over a broker that does not answer.
 */
@NullMarked
package io.outbox.sender;

import org.jspecify.annotations.NullMarked;
