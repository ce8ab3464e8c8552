-- Outbox dead letters for H2, version 1: the failed attempts of events. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_dlq_event_attempt (
  event_id  VARCHAR(36) NOT NULL,
  failed_at TIMESTAMP(6) NOT NULL,
  attempt   INT NOT NULL,
  node      VARCHAR(128),
  error     CHARACTER LARGE OBJECT,
  PRIMARY KEY (event_id, failed_at)
);

-- Clean-up.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_attempt_age ON outbox_dlq_event_attempt (failed_at, event_id);
