-- Outbox for Oracle: the index for event types with a lane of their own. Not needed without lanes.
-- All timestamps are UTC. Can be run again: what is there (ORA-00955, ORA-01408) stays. A slash ends each block.
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX outbox_event_pending_by_type
    ON outbox_event (status, event_type, available_at, created_at, event_id)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-955, -1408) THEN
      RAISE;
    END IF;
END;
/
