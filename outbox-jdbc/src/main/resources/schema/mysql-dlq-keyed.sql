-- Outbox dead letters for MySQL and MariaDB: columns for order by key, so that a letter comes back to its place. Can be run
-- again: MySQL adds a column only if it is not there in this roundabout way.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_dlq_event ADD COLUMN order_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin')
  FROM information_schema.columns
  WHERE column_name = 'order_key'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_dlq_event', CONCAT(DATABASE(), '.', 'outbox_dlq_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_dlq_event ADD COLUMN order_seq BIGINT')
  FROM information_schema.columns
  WHERE column_name = 'order_seq'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_dlq_event', CONCAT(DATABASE(), '.', 'outbox_dlq_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
