-- Outbox dead letters for H2: columns for order by key, so that a letter comes back to its place. Can be run again.
ALTER TABLE outbox_dlq_event ADD COLUMN IF NOT EXISTS order_key VARCHAR(400);
ALTER TABLE outbox_dlq_event ADD COLUMN IF NOT EXISTS order_seq BIGINT;
