-- Outbox for H2: the index for event types with a lane of their own. Not needed without lanes.
CREATE INDEX IF NOT EXISTS outbox_event_pending_by_type
  ON outbox_event (status, event_type, available_at, created_at, event_id);
