-- Takes over what Spring Modulith's event publication registry has not completed, on PostgreSQL: publications become events of the
-- outbox, in one statement. Stop the application first. Publications that are taken over are deleted from event_publication.
-- A listener without an id is called by its bean and its method: change the expression where beans are not named after their class.
WITH taken AS (
  DELETE FROM event_publication WHERE completion_date IS NULL RETURNING *
)
INSERT INTO outbox_event
  (event_id, event_type, aggregate_type, payload, headers, status, attempts, available_at, created_at)
SELECT
  id::text,
  regexp_replace(event_type, '^.*[.$]', '') || '#' || CASE
    WHEN listener_id LIKE 'org.springframework.modulith.events.%.externalize(%' THEN 'externalization'
    WHEN listener_id NOT LIKE '%(%' THEN listener_id
    ELSE lower(left(regexp_replace(listener_id, '^.*[.$]([^.$]+)[.][^.(]+[(].*$', '\1'), 1))
      || substr(regexp_replace(listener_id, '^.*[.$]([^.$]+)[.][^.(]+[(].*$', '\1'), 2)
      || '.' || regexp_replace(listener_id, '^.*[.]([^.(]+)[(].*$', '\1')
  END,
  '__GLOBAL__',
  serialized_event,
  json_build_object('modulith_event_class', event_type)::text,
  0,
  0,
  now() AT TIME ZONE 'UTC',
  publication_date AT TIME ZONE 'UTC'
FROM taken;
