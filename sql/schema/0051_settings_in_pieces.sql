-- Changed settings are worked into a long past piece by piece. Ingest workers of the version before take no notice of "earlier", and would
-- count a part of that past twice or not at all: stop them before a setting is changed (CHANGELOG).
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they, its channels or its edits were changed since: a worker computes it anew within seconds. While it does so piece by piece: "earlier" has those that hold before a time ("until_ms", Unix ms), in order. Null: those of the row.';

-- They know no splits, either, and would count a step over one: stop them before a mapping is changed.
ALTER TABLE series ADD COLUMN split_after timestamptz[];
COMMENT ON COLUMN series.split_after IS 'After these times, in order, another number is read than before, as its owner has changed its mapping: no step goes over one of them. Null: that was never so.';
