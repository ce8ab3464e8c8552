package io.outbox.model;

/**
 * The events of one type that are not finished, due or not.
 *
 * @param pending those that wait in the store
 * @param inProcess those in the hands of a node
 */
public record EventCount(String eventType, long pending, long inProcess) {}
