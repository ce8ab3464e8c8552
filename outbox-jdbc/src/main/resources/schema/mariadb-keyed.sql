-- Outbox for MariaDB: columns and indexes for order by key. Not needed without it. Can be run again: what is there stays.
-- The first run copies the table, which locks it meanwhile.
ALTER TABLE outbox_event
  ADD COLUMN IF NOT EXISTS order_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS order_seq BIGINT NOT NULL AUTO_INCREMENT,
  ADD UNIQUE INDEX IF NOT EXISTS idx_order_seq (order_seq);
ALTER TABLE outbox_event
  ADD COLUMN IF NOT EXISTS pending_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  AS (CASE WHEN status IN (0, 2) THEN order_key END) VIRTUAL;
ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS keyed TINYINT AS (CASE WHEN order_key IS NULL THEN 0 ELSE 1 END) VIRTUAL;

-- The unfinished events of a key, oldest first.
CREATE INDEX IF NOT EXISTS idx_keyed ON outbox_event (pending_key, order_seq);

-- Claim and poll of events without order.
CREATE INDEX IF NOT EXISTS idx_unkeyed ON outbox_event (status, keyed, available_at, created_at);
CREATE INDEX IF NOT EXISTS idx_unkeyed_type ON outbox_event (status, event_type, keyed, available_at, created_at);

-- The locks of writers, for Ordering.lockingWrites(): the hash of a key leads to one of 1000 rows, which never change.
CREATE TABLE IF NOT EXISTS outbox_event_lock (slot INT NOT NULL PRIMARY KEY);
INSERT IGNORE INTO outbox_event_lock (slot)
  SELECT units.d + 10 * tens.d + 100 * hundreds.d
  FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) units
  CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) tens
  CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) hundreds;
