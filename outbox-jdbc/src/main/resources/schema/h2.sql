-- Outbox schema for H2, version 2. All timestamps are UTC. Can be run again: what is there stays.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) NOT NULL PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        CHARACTER LARGE OBJECT NOT NULL,
  headers        CHARACTER LARGE OBJECT,
  status         SMALLINT NOT NULL,
  attempts       INT DEFAULT 0 NOT NULL,
  available_at   TIMESTAMP(6) NOT NULL,
  created_at     TIMESTAMP(6) NOT NULL,
  done_at        TIMESTAMP(6),
  last_error     CHARACTER LARGE OBJECT,
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMP(6)
);

-- Claim and poll.
CREATE INDEX IF NOT EXISTS outbox_event_pending ON outbox_event (status, available_at, created_at, event_id);

-- Since version 2: purge and dead-letter pages.
CREATE INDEX IF NOT EXISTS outbox_event_finished ON outbox_event (status, done_at, created_at, event_id);
