-- Outbox dead letters for Oracle, version 1.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_dlq_event (
  event_id        VARCHAR2(36 CHAR) NOT NULL,
  event_type      VARCHAR2(128 CHAR),
  aggregate_type  VARCHAR2(64 CHAR),
  aggregate_id    VARCHAR2(128 CHAR),
  tenant_id       VARCHAR2(64 CHAR),
  payload         CLOB,
  headers         CLOB,
  status          NUMBER(1) NOT NULL,
  attempts        NUMBER(10) DEFAULT 0 NOT NULL,
  available_at    TIMESTAMP(6) NOT NULL,
  created_at      TIMESTAMP(6) NOT NULL,
  last_error      CLOB,
  fingerprint     VARCHAR2(16 CHAR) NOT NULL,
  first_failed_at TIMESTAMP(6),
  last_failed_at  TIMESTAMP(6),
  moved_at        TIMESTAMP(6) NOT NULL,
  updated_at      TIMESTAMP(6) NOT NULL,
  updated_by      VARCHAR2(128 CHAR),
  CONSTRAINT outbox_dlq_event_pk PRIMARY KEY (event_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Pages.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_pages ON outbox_dlq_event (status, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Clean-up.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_settled ON outbox_dlq_event (status, updated_at)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Pages of a type.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_types ON outbox_dlq_event (status, event_type, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Groups of failures, and pages of a group.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_failures
    ON outbox_dlq_event (status, event_type, fingerprint, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- When a group of failures began.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_first
    ON outbox_dlq_event (status, event_type, fingerprint, first_failed_at)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- When a group of failures was seen last.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_last
    ON outbox_dlq_event (status, event_type, fingerprint, last_failed_at)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
