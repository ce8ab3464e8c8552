-- Takes over the calls that gruelbox/transaction-outbox has not made yet, on PostgreSQL, in one statement. Stop the application first.
-- A blocked call, which was given up, becomes a dead event. Calls of a topic keep their order by the time of creation.
WITH taken AS (
  DELETE FROM txno_outbox WHERE NOT processed RETURNING *
)
INSERT INTO outbox_event
  (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts, available_at, created_at, last_error)
SELECT
  id,
  'ScheduledCall',
  '__GLOBAL__',
  NULLIF(topic, '*'),
  invocation,
  CASE WHEN blocked THEN 3 ELSE 0 END,
  0,
  now() AT TIME ZONE 'UTC',
  (now() AT TIME ZONE 'UTC') - interval '1 second' + make_interval(secs => 0.000001 * row_number() OVER (ORDER BY seq, nextattempttime)),
  CASE WHEN blocked THEN 'Blocked by transaction-outbox after ' || attempts || ' attempts' END
FROM taken;
