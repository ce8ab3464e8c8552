-- Outbox administration for H2, version 1: what nodes did, by minute and by quarter of an hour. Can be run again.
CREATE TABLE IF NOT EXISTS outbox_event_figures (
  span      INT NOT NULL,
  slot      BIGINT NOT NULL,
  node_id   VARCHAR(36) NOT NULL,
  node_name VARCHAR(128) NOT NULL,
  content   CHARACTER LARGE OBJECT NOT NULL,
  PRIMARY KEY (span, slot, node_id)
);
