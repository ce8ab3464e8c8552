-- Outbox administration for MySQL, MariaDB and TiDB, version 1: what operators have ordered for all nodes. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_control (
  control_id VARCHAR(36) NOT NULL PRIMARY KEY,
  kind       VARCHAR(16) NOT NULL,
  revision   BIGINT NOT NULL,
  touched_at DATETIME(6) NOT NULL,
  content    TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
