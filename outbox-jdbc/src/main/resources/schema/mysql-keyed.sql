-- Outbox for MySQL: columns and indexes for order by key. Not needed without it. Can be run again: MySQL adds a column or an
-- index only if it is not there in this roundabout way. The first run copies the table, which locks it meanwhile.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_event ADD COLUMN order_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin')
  FROM information_schema.columns
  WHERE column_name = 'order_key'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_event ADD COLUMN order_seq BIGINT NOT NULL AUTO_INCREMENT UNIQUE')
  FROM information_schema.columns
  WHERE column_name = 'order_seq'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_event ADD COLUMN pending_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin AS (CASE WHEN status IN (0, 2) THEN order_key END) VIRTUAL')
  FROM information_schema.columns
  WHERE column_name = 'pending_key'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_event ADD COLUMN keyed TINYINT AS (CASE WHEN order_key IS NULL THEN 0 ELSE 1 END) VIRTUAL')
  FROM information_schema.columns
  WHERE column_name = 'keyed'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;

-- The unfinished events of a key, oldest first.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX idx_keyed ON outbox_event (pending_key, order_seq)')
  FROM information_schema.statistics
  WHERE index_name = 'idx_keyed'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;

-- Claim and poll of events without order.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX idx_unkeyed ON outbox_event (status, keyed, available_at, created_at)')
  FROM information_schema.statistics
  WHERE index_name = 'idx_unkeyed'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX idx_unkeyed_type ON outbox_event (status, event_type, keyed, available_at, created_at)')
  FROM information_schema.statistics
  WHERE index_name = 'idx_unkeyed_type'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;

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
