/**
 * The contract of senders to brokers, run by each of them against a real broker behind a network that can fail. Begin
 * with {@link io.outbox.testservers.broker.BrokerUnderTest}.
 */
package io.outbox.testservers.broker;
