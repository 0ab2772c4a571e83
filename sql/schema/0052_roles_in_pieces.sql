-- What an owner says that a quantity counts as is worked into a long past piece by piece. Ingest workers of the version before take no notice
-- of "earlier_roles", and would count a part of that past twice or not at all: stop them before a meaning is changed (CHANGELOG).
ALTER TABLE series ADD COLUMN earlier_roles jsonb;
COMMENT ON COLUMN series.earlier_roles IS 'What it is counted as before some times ("until_ms", Unix ms), in order, while another role is worked in piece by piece: [{"until_ms", "import", "export", "meter", "is_tariff"}]. Null: as its row says, always.';
COMMENT ON COLUMN series.split_after IS 'After these times, in order, another number is read than before, as its owner has changed what reads it (decoder_config): no step goes over one of them. Null: that was never so.';
