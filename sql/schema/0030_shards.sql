-- A broker cluster has as many queues as it began with.

ALTER TABLE installation ADD COLUMN shards smallint CHECK (shards BETWEEN 1 AND 1024);
COMMENT ON COLUMN installation.shards IS
  'Queues of a broker cluster, from its first start on: which one a device''s messages go to depends on how many there are. Null: none was used.';
