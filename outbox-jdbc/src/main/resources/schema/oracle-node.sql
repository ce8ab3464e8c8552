-- Outbox administration for Oracle, version 1: the nodes on an outbox table.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_event_node (
  node_id    VARCHAR2(36 CHAR) NOT NULL,
  node_name  VARCHAR2(128 CHAR) NOT NULL,
  started_at TIMESTAMP(6) NOT NULL,
  seen_at    TIMESTAMP(6) NOT NULL,
  report     CLOB,
  CONSTRAINT outbox_event_node_pk PRIMARY KEY (node_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
