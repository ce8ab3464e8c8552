-- Outbox dead letters for PostgreSQL, version 1. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_dlq_event (
  event_id        VARCHAR(36) COLLATE "C" NOT NULL PRIMARY KEY,
  event_type      VARCHAR(128),
  aggregate_type  VARCHAR(64),
  aggregate_id    VARCHAR(128),
  tenant_id       VARCHAR(64),
  payload         TEXT,
  headers         TEXT,
  status          SMALLINT NOT NULL,
  attempts        INT NOT NULL DEFAULT 0,
  available_at    TIMESTAMP(6) NOT NULL,
  created_at      TIMESTAMP(6) NOT NULL,
  last_error      TEXT,
  fingerprint     VARCHAR(16) NOT NULL DEFAULT '',
  first_failed_at TIMESTAMP(6),
  last_failed_at  TIMESTAMP(6),
  moved_at        TIMESTAMP(6) NOT NULL,
  updated_at      TIMESTAMP(6) NOT NULL,
  updated_by      VARCHAR(128)
);

-- Pages.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_pages ON outbox_dlq_event (status, created_at, event_id);

-- Clean-up.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_settled ON outbox_dlq_event (status, updated_at);

-- Pages of a type.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_types ON outbox_dlq_event (status, event_type, created_at, event_id);

-- Groups of failures, and pages of a group.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_failures
  ON outbox_dlq_event (status, event_type, fingerprint, created_at, event_id);

-- When a group of failures began, and when it was seen last.
CREATE INDEX IF NOT EXISTS outbox_dlq_event_first
  ON outbox_dlq_event (status, event_type, fingerprint, first_failed_at);
CREATE INDEX IF NOT EXISTS outbox_dlq_event_last
  ON outbox_dlq_event (status, event_type, fingerprint, last_failed_at);
