-- Outbox dead letters for PostgreSQL: columns for order by key, so that a letter comes back to its place. Can be run again.
ALTER TABLE outbox_dlq_event ADD COLUMN IF NOT EXISTS order_key VARCHAR(400) COLLATE "C";
ALTER TABLE outbox_dlq_event ADD COLUMN IF NOT EXISTS order_seq BIGINT;
