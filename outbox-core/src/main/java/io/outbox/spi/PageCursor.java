package io.outbox.spi;

/** A place between two pages. What is in it is known only to the engine that made it, and means nothing to another. */
public interface PageCursor {}
