package io.outbox.model;

/**
 * What a node did in some minutes.
 *
 * @param nodeId the node's process
 * @param nodeName the node's name
 * @param span how many minutes these are
 * @param slot the first of them, in spans since 1970, by the store's clock
 * @param content the figures
 */
public record ClusterFigures(String nodeId, String nodeName, int span, long slot, String content) {}
