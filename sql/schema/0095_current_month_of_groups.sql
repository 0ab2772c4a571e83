-- The current month of a group is computed for each request: its stored days saved less time than they cost in code.
DELETE FROM kept_group_sums WHERE unit = 'begun';
DROP TABLE kept_begun_homes;
ALTER TABLE kept_group_sums DROP CONSTRAINT kept_group_sums_unit_check,
  ADD CONSTRAINT kept_group_sums_unit_check CHECK (unit IN ('day', 'month')),
  DROP COLUMN hours_of_day, DROP COLUMN used_by_hour, DROP COLUMN estimated_by_hour;
COMMENT ON COLUMN kept_group_sums.unit IS NULL;
