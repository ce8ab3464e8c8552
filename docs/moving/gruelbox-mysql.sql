-- Takes over the calls that gruelbox/transaction-outbox has not made yet, on MySQL 8 and MariaDB, in one transaction. Stop the application
-- first. A blocked call, which was given up, becomes a dead event. Calls of a topic keep their order by the time of creation.
START TRANSACTION;
INSERT INTO outbox_event
  (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts, available_at, created_at, last_error)
SELECT
  id,
  'ScheduledCall',
  '__GLOBAL__',
  NULLIF(topic, '*'),
  invocation,
  IF(CAST(blocked AS CHAR) IN ('1', 'true'), 3, 0),
  0,
  UTC_TIMESTAMP(6),
  UTC_TIMESTAMP(6) - INTERVAL 1 SECOND + INTERVAL (ROW_NUMBER() OVER (ORDER BY seq, nextAttemptTime)) MICROSECOND,
  IF(CAST(blocked AS CHAR) IN ('1', 'true'), CONCAT('Blocked by transaction-outbox after ', attempts, ' attempts'), NULL)
FROM TXNO_OUTBOX
WHERE NOT processed;
DELETE FROM TXNO_OUTBOX WHERE NOT processed;
COMMIT;
