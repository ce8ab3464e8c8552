-- Outbox administration for MySQL, MariaDB and TiDB, version 1: the nodes on an outbox table. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  node_id    VARCHAR(36) NOT NULL PRIMARY KEY,
  node_name  VARCHAR(128) NOT NULL,
  started_at DATETIME(6) NOT NULL,
  seen_at    DATETIME(6) NOT NULL,
  report     TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
