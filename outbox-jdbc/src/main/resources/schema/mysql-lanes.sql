-- Outbox for MySQL and TiDB: the index for event types with a lane of their own. Not needed without lanes.
CREATE INDEX idx_status_type_available ON outbox_event (status, event_type, available_at, created_at);
