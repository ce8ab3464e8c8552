-- Outbox for PostgreSQL: what change data capture needs. Not needed without it. Can be run again.
-- Inserts are all that is published: the connector never sees claims, outcomes and purges.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_publication WHERE pubname = 'outbox_pub') THEN
    CREATE PUBLICATION outbox_pub FOR TABLE outbox_event
      WITH (publish = 'insert', publish_via_partition_root = true);
  ELSIF NOT EXISTS (
    SELECT 1 FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid
    WHERE p.pubname = 'outbox_pub' AND prrelid = 'outbox_event'::regclass) THEN
    ALTER PUBLICATION outbox_pub ADD TABLE outbox_event;
  END IF;
END $$;

-- Writers other than this library may leave the column out; Debezium's EventRouter stops for good at a row without it.
ALTER TABLE outbox_event ALTER COLUMN aggregate_type SET DEFAULT '__GLOBAL__';
