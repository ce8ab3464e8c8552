-- Outbox consumers for H2, version 1. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_consumed_event (
  consumer    VARCHAR(128) NOT NULL,
  event_id    VARCHAR(128) NOT NULL,
  -- Tells the rows of one call from those that were there before it.
  token       BIGINT NOT NULL,
  consumed_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (consumer, event_id)
);

-- Clean-up.
CREATE INDEX IF NOT EXISTS outbox_consumed_event_age ON outbox_consumed_event (consumer, consumed_at, event_id);
