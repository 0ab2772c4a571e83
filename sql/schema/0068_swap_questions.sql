-- A register that went back, or leapt, counts as another meter's from then on. Its owner is asked whether the meter was replaced.
-- Swaps from before this update, and from before a device was paired, are not asked about: the default is the time of either.
ALTER TABLE devices ADD COLUMN swaps_confirmed_at timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN devices.swaps_confirmed_at IS 'Up to this event time swaps of its registers (reading_notes) are confirmed by its owner, or not asked about.';
