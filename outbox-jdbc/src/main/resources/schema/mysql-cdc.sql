-- Outbox for MySQL: what change data capture needs. Not needed without it. Can be run again.
-- Writers other than this library may leave the column out; Debezium's EventRouter stops for good at a row without it.
ALTER TABLE outbox_event ALTER COLUMN aggregate_type SET DEFAULT '__GLOBAL__';
