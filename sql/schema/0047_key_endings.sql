-- Owners of keys are told before one ends. Processes of the version before move an end without noting when: to the worker it is set as early as the key.
ALTER TABLE api_keys
  ADD COLUMN end_set_at timestamptz,
  ADD COLUMN told_end   timestamptz,
  ADD COLUMN told_days  smallint;
COMMENT ON COLUMN api_keys.end_set_at IS 'When the end was moved last. Null: it is that which the key was made with.';
COMMENT ON COLUMN api_keys.told_end IS 'The end that the owner was told of by mail. Another one than expires_at: it was moved since, and is told anew.';
COMMENT ON COLUMN api_keys.told_days IS 'How many days before that end the last mail was due.';
