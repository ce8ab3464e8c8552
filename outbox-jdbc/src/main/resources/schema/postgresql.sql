-- Outbox schema for PostgreSQL, version 2. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) COLLATE "C" NOT NULL PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        TEXT NOT NULL,
  headers        TEXT,
  status         SMALLINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0,
  available_at   TIMESTAMP(6) NOT NULL,
  created_at     TIMESTAMP(6) NOT NULL,
  done_at        TIMESTAMP(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMP(6)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Claim and poll: only pending events are in it, in the order in which they are due, with their type to count them by.
CREATE INDEX IF NOT EXISTS outbox_event_pending ON outbox_event (available_at, created_at, event_id)
  INCLUDE (event_type) WHERE status IN (0, 2);

-- Since version 2: purge. Only finished events are in it.
CREATE INDEX IF NOT EXISTS outbox_event_finished ON outbox_event (done_at, created_at)
  WHERE status IN (1, 3);

-- Since version 2: dead-letter pages.
CREATE INDEX IF NOT EXISTS outbox_event_dead ON outbox_event (created_at, event_id)
  WHERE status = 3;
