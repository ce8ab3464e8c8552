-- Outbox administration for Oracle, version 1: what operators have ordered for all nodes.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_event_control (
  control_id VARCHAR2(36 CHAR) NOT NULL,
  kind       VARCHAR2(16 CHAR) NOT NULL,
  revision   NUMBER(19) NOT NULL,
  touched_at TIMESTAMP(6) NOT NULL,
  content    CLOB,
  CONSTRAINT outbox_event_control_pk PRIMARY KEY (control_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
