-- Outbox administration for MySQL, MariaDB and TiDB, version 1: what operators have done. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_audit (
  audit_id VARCHAR(36) NOT NULL PRIMARY KEY,
  done_at  DATETIME(6) NOT NULL,
  done_by  VARCHAR(128) NOT NULL,
  action   VARCHAR(64) NOT NULL,
  target   VARCHAR(256) NOT NULL,
  detail   TEXT
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
