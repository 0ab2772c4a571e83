-- What the law's second edition says of readings, and what retention keeps for it.
COMMENT ON TABLE reading_notes IS 'Readings that were not plainly counted, and why: jitter, held, confirming, glitch, late, passed, back, reset, rollover, swap, overlap. A reading without a row here was.';
COMMENT ON TABLE closed_readings IS 'Per series the last plainly counted reading that retention dropped, those after it, and of a register what the law of consumption needs of those before: where it goes on from.';
COMMENT ON COLUMN series.closed_until IS 'Time of the last plainly counted reading that retention dropped: an earlier one is refused, what it would change is dropped. Null: nothing was dropped.';
