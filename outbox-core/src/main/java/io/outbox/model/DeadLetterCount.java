package io.outbox.model;

/** The number of dead letters of one type in one state. */
public record DeadLetterCount(String eventType, DlqStatus status, long count) {}
