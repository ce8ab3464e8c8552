-- Outbox consumers for MySQL, MariaDB and TiDB, version 1. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_consumed_event (
  consumer    VARCHAR(128) NOT NULL,
  event_id    VARCHAR(128) NOT NULL,
  -- Tells the rows of one call from those that were there before it.
  token       BIGINT NOT NULL,
  consumed_at DATETIME(6) NOT NULL,
  PRIMARY KEY (consumer, event_id),
  -- Clean-up.
  INDEX idx_consumer_consumed (consumer, consumed_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
