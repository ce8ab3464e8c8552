package io.outbox.admin;

/** What operators do to events: to those that are dead, and to those that wait. */
record Operations(DeadEvents dead, WaitingOperations waiting) {}
