-- Outbox consumers for PostgreSQL, version 1. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_consumed_event (
  consumer    VARCHAR(128) COLLATE "C" NOT NULL,
  event_id    VARCHAR(128) COLLATE "C" NOT NULL,
  consumed_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (consumer, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Clean-up.
CREATE INDEX IF NOT EXISTS outbox_consumed_event_age ON outbox_consumed_event (consumer, consumed_at);
