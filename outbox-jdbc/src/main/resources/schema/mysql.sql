-- Outbox schema for MySQL and TiDB, version 2. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) NOT NULL PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        MEDIUMTEXT NOT NULL,
  headers        MEDIUMTEXT,
  status         TINYINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0,
  available_at   DATETIME(6) NOT NULL,
  created_at     DATETIME(6) NOT NULL,
  done_at        DATETIME(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      DATETIME(6),
  -- Claim and poll.
  INDEX idx_status_available (status, available_at, created_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Since version 2: purge and dead-letter pages. MySQL creates an index only if it is not there in this roundabout way.
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX idx_status_done ON outbox_event (status, done_at, created_at)')
  FROM information_schema.statistics
  WHERE index_name = 'idx_status_done'
    AND CONCAT(table_schema, '.', table_name) IN ('outbox_event', CONCAT(DATABASE(), '.', 'outbox_event')));
PREPARE outbox_ddl FROM @outbox_ddl;
EXECUTE outbox_ddl;
DEALLOCATE PREPARE outbox_ddl;
