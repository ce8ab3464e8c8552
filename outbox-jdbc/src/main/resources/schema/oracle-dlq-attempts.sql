-- Outbox dead letters for Oracle, version 1: the failed attempts of events.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_dlq_event_attempt (
  event_id  VARCHAR2(36 CHAR) NOT NULL,
  failed_at TIMESTAMP(6) NOT NULL,
  attempt   NUMBER(10) NOT NULL,
  node      VARCHAR2(128 CHAR),
  error     CLOB,
  CONSTRAINT outbox_dlq_event_attempt_pk PRIMARY KEY (event_id, failed_at)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/

-- Clean-up.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_dlq_event_attempt_age
    ON outbox_dlq_event_attempt (failed_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
