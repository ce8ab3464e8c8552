-- Outbox administration for PostgreSQL, version 1: what operators have ordered for all nodes. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_control (
  control_id VARCHAR(36) COLLATE "C" NOT NULL PRIMARY KEY,
  kind       VARCHAR(16) NOT NULL,
  revision   BIGINT NOT NULL,
  touched_at TIMESTAMP(6) NOT NULL,
  content    TEXT NOT NULL
);
