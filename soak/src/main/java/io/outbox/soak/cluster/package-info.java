/**
 * Nodes as processes, each behind a proxy of its own: {@link io.outbox.soak.cluster.Cluster} starts and replaces them.
 */
package io.outbox.soak.cluster;
