-- Written at the end of every pass, and read by nobody: the age of what waits is measured where it waits.
ALTER TABLE rollup_progress DROP COLUMN refreshed_at;
