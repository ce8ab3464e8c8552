-- Outbox administration for Oracle, version 1: what nodes did, by minute and by quarter of an hour.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE outbox_event_figures (
  span      NUMBER(10) NOT NULL,
  slot      NUMBER(19) NOT NULL,
  node_id   VARCHAR2(36 CHAR) NOT NULL,
  node_name VARCHAR2(128 CHAR) NOT NULL,
  content   CLOB,
  CONSTRAINT outbox_event_figures_pk PRIMARY KEY (span, slot, node_id)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
