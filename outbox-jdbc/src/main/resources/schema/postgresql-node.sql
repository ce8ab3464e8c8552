-- Outbox administration for PostgreSQL, version 1: the nodes on an outbox table. All timestamps are UTC. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  node_id    VARCHAR(36) COLLATE "C" NOT NULL PRIMARY KEY,
  node_name  VARCHAR(128) NOT NULL,
  started_at TIMESTAMP(6) NOT NULL,
  seen_at    TIMESTAMP(6) NOT NULL,
  report     TEXT NOT NULL
);
