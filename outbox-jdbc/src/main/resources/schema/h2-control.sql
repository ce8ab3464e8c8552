-- Outbox administration for H2, version 1: what operators have ordered for all nodes. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_control (
  control_id VARCHAR(36) NOT NULL PRIMARY KEY,
  kind       VARCHAR(16) NOT NULL,
  revision   BIGINT NOT NULL,
  touched_at TIMESTAMP(6) NOT NULL,
  content    CHARACTER LARGE OBJECT NOT NULL
);
