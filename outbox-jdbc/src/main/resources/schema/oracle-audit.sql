-- Outbox administration for Oracle, version 1: what operators have done.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_event_audit (
  audit_id VARCHAR2(36 CHAR) NOT NULL,
  done_at  TIMESTAMP(6) NOT NULL,
  done_by  VARCHAR2(128 CHAR),
  action   VARCHAR2(64 CHAR) NOT NULL,
  target   VARCHAR2(256 CHAR),
  detail   CLOB,
  CONSTRAINT outbox_event_audit_pk PRIMARY KEY (audit_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
