-- Outbox dead letters for MySQL, MariaDB and TiDB, version 1. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_dlq_event (
  event_id        VARCHAR(36) NOT NULL PRIMARY KEY,
  event_type      VARCHAR(128),
  aggregate_type  VARCHAR(64),
  aggregate_id    VARCHAR(128),
  tenant_id       VARCHAR(64),
  payload         MEDIUMTEXT,
  headers         MEDIUMTEXT,
  status          TINYINT NOT NULL,
  attempts        INT NOT NULL DEFAULT 0,
  available_at    DATETIME(6) NOT NULL,
  created_at      DATETIME(6) NOT NULL,
  last_error      TEXT,
  fingerprint     VARCHAR(16) NOT NULL DEFAULT '',
  first_failed_at DATETIME(6),
  last_failed_at  DATETIME(6),
  moved_at        DATETIME(6) NOT NULL,
  updated_at      DATETIME(6) NOT NULL,
  updated_by      VARCHAR(128),
  -- Pages.
  INDEX idx_dlq_status_created (status, created_at),
  -- Clean-up.
  INDEX idx_dlq_status_updated (status, updated_at),
  -- Pages of a type.
  INDEX idx_dlq_status_type (status, event_type, created_at),
  -- Groups of failures, and pages of a group.
  INDEX idx_dlq_status_failure (status, event_type, fingerprint, created_at),
  -- When a group of failures began, and when it was seen last.
  INDEX idx_dlq_status_first (status, event_type, fingerprint, first_failed_at),
  INDEX idx_dlq_status_last (status, event_type, fingerprint, last_failed_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
