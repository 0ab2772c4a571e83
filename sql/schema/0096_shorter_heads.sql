-- Ingest writes heads in fewer bytes, and still reads those that stand here: nothing is rewritten. An earlier version would not understand the
-- new form, and refuses to start on a schema with this migration.
COMMENT ON COLUMN device_heads.laws IS 'JSON: of each series that has readings [series_id, time of the last one in Unix ms, state of its law after it: a string (ingest/write/law-state.ts), or an object where one reading is held].';
COMMENT ON COLUMN device_heads.open IS 'The open hour: hours since 1970, of each measure (src/rollups/levels.ts) its sum, then of each its four quarter-hours, a zero as nothing; null: none is.';
