import { MEASURE_COLUMNS, PACKED_DAYS_TABLE, STORED_HOURS_TABLE } from '../levels.ts';
import { APPLY_HOURS_FUNCTION, quarterHourOfPackedDaySql, quarterHourOfStoredHourSql } from './hours.ts';

/** Functions that generate the SQL that packs hours into days and unpacks them. */

const lines = (of: (column: string) => string, indent: string): string =>
  MEASURE_COLUMNS.map((column) => indent + of(column)).join(',\n');

const columns = MEASURE_COLUMNS.join(', ');
const ofDay = (time: string): string => `${time} >= which AND ${time} < which + interval '24 hours'`;
/** Returns a query for the first device after `id` that has hours in the day. */
const deviceAfter = (id: string): string =>
  `SELECT h.device_id FROM ${STORED_HOURS_TABLE.relation} h WHERE ${ofDay('h.starts_at')} AND h.device_id > ${id} ORDER BY 1 LIMIT 1`;
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

export const packingFunctionsSql =
  (): string => `-- Packs the hours that ${STORED_HOURS_TABLE.relation} has of a UTC day into ${PACKED_DAYS_TABLE.relation}, of \`most\` devices after one of them: adds them to what is packed
-- of the day, in one statement, so that whoever reads sees each once. Hours that are being written or erased are left to a later pass, and
-- so are those of a device of which a quarter-hour is beyond an integer (8 MW), or that changed hands that day. Returns the last
-- device, or null where none was left. Called under the lock of packing only.
CREATE OR REPLACE FUNCTION pack_day(which timestamptz, after_id text, most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  -- One by one, each by the index: of a million devices a piece must not look at all.
  devices text[] := ARRAY(
    WITH RECURSIVE next (device_id) AS (
      SELECT (${deviceAfter('after_id')})
      UNION ALL
      SELECT (${deviceAfter('n.device_id')}) FROM next n WHERE n.device_id IS NOT NULL
    )
    SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT most);
  locked_ids text[];
  locked_times timestamptz[];
BEGIN
  -- A statement of its own, so that the next one sees these rows as they are now. One that was written to since a statement began it
  -- would read as it is, and hypertables (TimescaleDB 2.28) would not delete it: it would be there twice.
  SELECT array_agg(device_id), array_agg(starts_at) INTO locked_ids, locked_times FROM (
    SELECT h.device_id, h.starts_at FROM ${STORED_HOURS_TABLE.relation} h WHERE h.device_id = ANY (devices) AND ${ofDay('h.starts_at')} FOR UPDATE SKIP LOCKED
  ) locked;
  WITH taken AS MATERIALIZED (
    SELECT h.* FROM ${STORED_HOURS_TABLE.relation} h WHERE h.device_id = ANY (devices) AND ${ofDay('h.starts_at')}
      AND (h.device_id, h.starts_at) IN (SELECT * FROM unnest(locked_ids, locked_times))
  ), pieces AS (
    SELECT h.device_id, h.user_id, date_part('epoch', h.starts_at - which)::integer / 900 + q.place AS place,
${lines((column) => `${quarterHourOfStoredHourSql(column, 'h', 'q.place')} AS ${column}`, '      ')}
    FROM taken h CROSS JOIN generate_series(0, 3) q (place)
    UNION ALL
    SELECT d.device_id, d.user_id, q.place,
${lines((column) => quarterHourOfPackedDaySql(column, 'd', 'q.place'), '      ')}
    FROM ${PACKED_DAYS_TABLE.relation} d CROSS JOIN generate_series(0, 95) q (place)
    WHERE d.device_id = ANY (devices) AND d.device_id IN (SELECT device_id FROM taken) AND d.day = which
    UNION ALL
    SELECT t.device_id, t.user_id, q.place, ${MEASURE_COLUMNS.map(() => 0).join(', ')}
    -- Where hours are missing: each that is there has all of its quarter-hours.
    FROM (SELECT device_id, user_id FROM taken GROUP BY 1, 2 HAVING count(*) FILTER (WHERE starts_at = date_bin('1 hour', starts_at, 'epoch')) < 24) t
      CROSS JOIN generate_series(0, 95) q (place)
  ), quarter_hours AS (
    SELECT device_id, user_id, place,
${lines((column) => `sum(${column})::bigint AS ${column}`, '      ')}
    -- A row that an earlier version wrote of the day's last quarter-hour has nothing behind it.
    FROM pieces WHERE place < 96 GROUP BY 1, 2, 3
  ), days AS MATERIALIZED (
    SELECT device_id, user_id,
${lines((column) => `CASE WHEN min(${column}) < max(${column}) THEN array_agg(${column} ORDER BY place) WHEN max(${column}) <> 0 THEN ARRAY[max(${column})] END AS ${column}`, '      ')},
      least(${MEASURE_COLUMNS.map((column) => `min(${column})`).join(', ')}) >= ${LEAST} AND greatest(${MEASURE_COLUMNS.map((column) => `max(${column})`).join(', ')}) <= ${MOST}
        AND count(*) OVER (PARTITION BY device_id) = 1 AS fits
    FROM quarter_hours GROUP BY 1, 2
  ), gone AS (
    DELETE FROM ${STORED_HOURS_TABLE.relation} h USING taken t JOIN days d USING (device_id)
    WHERE d.fits AND h.device_id = t.device_id AND h.starts_at = t.starts_at AND ${ofDay('h.starts_at')}
  ), emptied AS (
    DELETE FROM ${PACKED_DAYS_TABLE.relation} o USING days d WHERE d.fits AND o.device_id = d.device_id AND o.day = which AND num_nonnulls(${MEASURE_COLUMNS.map((column) => `d.${column}`).join(', ')}) = 0
  )
  INSERT INTO ${PACKED_DAYS_TABLE.relation} (device_id, day, user_id, ${columns})
  SELECT device_id, which, user_id, ${MEASURE_COLUMNS.map((column) => `${column}::integer[]`).join(', ')}
  FROM days WHERE fits AND num_nonnulls(${columns}) > 0 ORDER BY device_id
  ON CONFLICT (device_id, day) DO UPDATE SET
${lines((column) => `${column} = excluded.${column}`, '    ')};
  RETURN devices[cardinality(devices)];
END
$$;

-- Gives back the disk that the indexes of a partition or chunk take of which all hours are packed: vacuum gives back a table's, and not
-- theirs. Waits for nobody: what is in use is left to a later pass. Returns which one, or null where there was none.
CREATE OR REPLACE FUNCTION release_hours() RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
  piece regclass;
BEGIN
  FOR piece IN SELECT inhrelid FROM pg_inherits
    WHERE inhparent = '${STORED_HOURS_TABLE.relation}'::regclass AND pg_relation_size(inhrelid) = 0 AND pg_indexes_size(inhrelid) > 65536
  LOOP
    BEGIN
      EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', piece);
      IF pg_relation_size(piece) = 0 THEN
        EXECUTE format('TRUNCATE %s', piece);
        RETURN piece;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN NULL;
END
$$;

-- Makes hours again of \`most\` packed days. Returns of how many.
CREATE OR REPLACE FUNCTION unpack_days(most integer, whose text[] DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deltas interval_delta[];
  unpacked bigint;
BEGIN
  WITH gone AS (
    DELETE FROM ${PACKED_DAYS_TABLE.relation} d USING (SELECT device_id, day FROM ${PACKED_DAYS_TABLE.relation} WHERE whose IS NULL OR user_id = ANY (whose) ORDER BY 1, 2 LIMIT most FOR UPDATE) first
    WHERE d.device_id = first.device_id AND d.day = first.day RETURNING d.*
  ), quarter_hours AS (
    SELECT g.device_id, g.user_id, g.day + q.place * interval '15 minutes' AS starts_at,
${lines((column) => `${quarterHourOfPackedDaySql(column, 'g', 'q.place')} AS ${column}`, '      ')}
    FROM gone g CROSS JOIN generate_series(0, 95) q (place)
  )
  SELECT array_agg(ROW (device_id, user_id, starts_at, ${columns})::interval_delta) FILTER (WHERE (${columns}) <> (${MEASURE_COLUMNS.map(() => 0).join(', ')})),
    (SELECT count(*) FROM gone)
  INTO deltas, unpacked FROM quarter_hours;
  IF deltas IS NOT NULL THEN
    PERFORM ${APPLY_HOURS_FUNCTION}(deltas);
  END IF;
  RETURN unpacked;
END
$$;
`;
