-- Edits of long times are worked in piece by piece. Ingest workers of the version before work in at once what is left of one, and leave
-- these columns as they are: stop them before edits are made (CHANGELOG).
ALTER TABLE reading_edits ADD COLUMN counted_from timestamptz, ADD COLUMN counted_to timestamptz,
  ADD CHECK ((counted_from IS NULL) = (counted_to IS NULL)),
  ADD CHECK (counted_from IS NULL OR is_counted);
COMMENT ON COLUMN reading_edits.is_counted IS 'What is stored of the device was computed with it, in whole or (counted_from, counted_to) in part. Where an edit in force is not so in whole, or a revoked one is so, devices.computed_with is set, and a worker goes on within seconds.';
COMMENT ON COLUMN reading_edits.counted_from IS 'With counted_to: the part of its time that what is stored of the device was computed with, while it is worked in or taken back piece by piece. Null: all of it, or (is_counted) nothing.';
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they, its channels or its edits were changed since: a worker computes it anew within seconds. Null: those of the row.';
