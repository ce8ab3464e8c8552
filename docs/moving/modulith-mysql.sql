-- Takes over what Spring Modulith's event publication registry has not completed, on MySQL and MariaDB: publications become events of the
-- outbox, in one transaction. Stop the application first. Publications that are taken over are deleted from EVENT_PUBLICATION.
-- A listener without an id is called by its bean and its method: change the expression where beans are not named after their class.
START TRANSACTION;
INSERT INTO outbox_event
  (event_id, event_type, aggregate_type, payload, headers, status, attempts, available_at, created_at)
SELECT
  ID,
  CONCAT(SUBSTRING_INDEX(SUBSTRING_INDEX(EVENT_TYPE, '.', -1), '$', -1), '#', CASE
    WHEN LISTENER_ID LIKE 'org.springframework.modulith.events.%.externalize(%' THEN 'externalization'
    WHEN LISTENER_ID NOT LIKE '%(%' THEN LISTENER_ID
    ELSE CONCAT(
      LOWER(LEFT(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(LISTENER_ID, '(', 1), '.', -2), '.', 1), '$', -1), 1)),
      SUBSTRING(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(LISTENER_ID, '(', 1), '.', -2), '.', 1), '$', -1), 2),
      '.', SUBSTRING_INDEX(SUBSTRING_INDEX(LISTENER_ID, '(', 1), '.', -1))
  END),
  '__GLOBAL__',
  SERIALIZED_EVENT,
  JSON_OBJECT('modulith_event_class', EVENT_TYPE),
  0,
  0,
  UTC_TIMESTAMP(6),
  CONVERT_TZ(PUBLICATION_DATE, @@session.time_zone, '+00:00')
FROM EVENT_PUBLICATION
WHERE COMPLETION_DATE IS NULL;
DELETE FROM EVENT_PUBLICATION WHERE COMPLETION_DATE IS NULL;
COMMIT;
