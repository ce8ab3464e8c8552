-- Outbox schema for Oracle, version 2.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_event (
  event_id       VARCHAR2(36 CHAR) NOT NULL,
  event_type     VARCHAR2(128 CHAR) NOT NULL,
  aggregate_type VARCHAR2(64 CHAR),
  aggregate_id   VARCHAR2(128 CHAR),
  tenant_id      VARCHAR2(64 CHAR),
  payload        CLOB,
  headers        CLOB,
  status         NUMBER(1) NOT NULL,
  attempts       NUMBER(10) DEFAULT 0 NOT NULL,
  available_at   TIMESTAMP(6) NOT NULL,
  created_at     TIMESTAMP(6) NOT NULL,
  done_at        TIMESTAMP(6),
  last_error     CLOB,
  locked_by      VARCHAR2(128 CHAR),
  locked_at      TIMESTAMP(6),
  CONSTRAINT outbox_event_pk PRIMARY KEY (event_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Claim and poll.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_event_pending
    ON outbox_event (status, available_at, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Since version 2: purge and dead-letter pages.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_event_finished
    ON outbox_event (status, done_at, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
