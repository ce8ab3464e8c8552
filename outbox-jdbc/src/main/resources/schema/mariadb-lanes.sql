-- Outbox for MariaDB: the index for event types with a lane of their own. Not needed without lanes.
CREATE INDEX IF NOT EXISTS idx_status_type_available ON outbox_event (status, event_type, available_at, created_at);
