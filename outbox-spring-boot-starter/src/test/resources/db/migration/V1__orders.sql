-- The first migration of an application, which has the version that one of ours would have had.
CREATE TABLE orders (
  order_id VARCHAR(36) NOT NULL PRIMARY KEY
);
