-- Outbox for MySQL and TiDB: the index for event types with a lane of their own. Not needed without lanes. Can be run
-- again: MySQL creates an index only if it is not there in this roundabout way.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX idx_status_type_available ON outbox_event (status, event_type, available_at, created_at)')
  FROM information_schema.statistics
  WHERE index_name = 'idx_status_type_available'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
