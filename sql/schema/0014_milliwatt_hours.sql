-- `_mwh` reads as megawatt-hours to anyone in energy. Every column of milliwatt-hours is renamed to say so in full: in tables
-- with their partitions, hypertables with their compressed chunks, views, continuous aggregates and the type of a difference.
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN
    SELECT r.oid::regclass AS relation, a.attname AS name, replace(a.attname, '_mwh', '_milliwatt_hours') AS renamed,
      CASE r.relkind WHEN 'c' THEN 'TYPE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind,
      CASE r.relkind WHEN 'c' THEN 'ATTRIBUTE' ELSE 'COLUMN' END AS part
    FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE r.relnamespace = current_schema()::regnamespace AND r.relkind IN ('r', 'p', 'v', 'c') AND NOT r.relispartition
      AND a.attname LIKE '%\_mwh'
    ORDER BY r.oid, a.attnum
  LOOP
    EXECUTE format('ALTER %s %s RENAME %s %I TO %I', c.kind, c.relation, c.part, c.name, c.renamed);
  END LOOP;
  -- Constraints that PostgreSQL named after a column: checks, and from version 18 on NOT NULL.
  FOR c IN
    SELECT conrelid::regclass AS relation, conname AS name, replace(conname, '_mwh', '_milliwatt_hours') AS renamed
    FROM pg_constraint JOIN pg_class r ON r.oid = conrelid
    WHERE r.relnamespace = current_schema()::regnamespace AND NOT r.relispartition AND conname LIKE '%\_mwh\_%'
  LOOP
    EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.relation, c.name, c.renamed);
  END LOOP;
END
$$;
COMMENT ON COLUMN device_intervals.estimated_milliwatt_hours IS 'Part of energy_milliwatt_hours that was spread over a register gap of more than an hour.';

-- The state of the law after a register's last reading names its value so, too.
UPDATE series SET tail = replace(tail::text, '"valueMwh":', '"valueMilliwattHours":')::jsonb WHERE tail::text LIKE '%"valueMwh":%';
