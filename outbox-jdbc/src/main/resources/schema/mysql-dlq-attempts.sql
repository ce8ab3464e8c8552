-- Outbox dead letters for MySQL, MariaDB and TiDB, version 1: the failed attempts of events. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_dlq_event_attempt (
  event_id  VARCHAR(36) NOT NULL,
  failed_at DATETIME(6) NOT NULL,
  attempt   INT NOT NULL,
  node      VARCHAR(128),
  error     TEXT,
  PRIMARY KEY (event_id, failed_at),
  -- Clean-up.
  INDEX idx_dlq_attempt_failed (failed_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
