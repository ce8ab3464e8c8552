-- Outbox consumers for Oracle, version 1.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_consumed_event (
  consumer    VARCHAR2(128 CHAR) NOT NULL,
  event_id    VARCHAR2(128 CHAR) NOT NULL,
  token       NUMBER(19) NOT NULL,
  consumed_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT outbox_consumed_event_pk PRIMARY KEY (consumer, event_id)
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
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_consumed_event_age
    ON outbox_consumed_event (consumer, consumed_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
