/**
 * Real servers for tests, on a machine that has none installed.
 *
 * <p>A test asks for {@code PostgresServer.shared()} and gets one server per JVM, or for {@code start()} and gets one
 * of its own that it may kill. Servers run with durable settings. They end with the JVM, however it ends. For faults of
 * the network between test and server there is {@link io.outbox.testservers.TcpProxy}.
 */
package io.outbox.testservers;
