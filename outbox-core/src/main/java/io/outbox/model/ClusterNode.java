package io.outbox.model;

import java.time.Duration;
import java.time.Instant;

/**
 * A node that has joined the others on its store.
 *
 * @param id identifies the node's process; no other has it
 * @param name the name that people know the node by; should differ between nodes
 * @param startedAt when the node joined, by the store's clock
 * @param silentFor how long ago it was heard of last, by the store's clock
 * @param report what it said of itself then
 */
public record ClusterNode(String id, String name, Instant startedAt, Duration silentFor, String report) {}
