/**
 * What senders to brokers have in common: their builder's settings, the headers of their messages, and the watch over a
 * broker that does not answer.
 */
package io.outbox.sender;
