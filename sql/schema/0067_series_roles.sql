-- Answers about a time before something better appeared must go by what counted then: one relation returns it, for all of them.
CREATE VIEW series_roles AS
SELECT s.series_id, s.device_id, s.channel, s.kind, r.counts_from, r.counts_until, r.meter,
  r.is_counted_import AND coalesce(r.meter IN ('grid', 'production', 'storage', 'consumption', 'excluded'), true) AS counts_import,
  r.is_counted_export AS counts_export
FROM series s CROSS JOIN LATERAL (
  SELECT coalesce(to_timestamp(((s.earlier_roles -> -1 ->> 'until_ms')::float8 - 1) / 1000), '-infinity') AS counts_from, 'infinity'::timestamptz AS counts_until,
    s.meter, s.counts_import AS is_counted_import, s.counts_export AS is_counted_export
  UNION ALL
  SELECT CASE WHEN e.place = 1 THEN '-infinity' ELSE to_timestamp(((s.earlier_roles -> (e.place - 2)::int ->> 'until_ms')::float8 - 1) / 1000) END,
    to_timestamp(((e.earlier ->> 'until_ms')::float8 - 1) / 1000), e.earlier ->> 'meter', (e.earlier ->> 'import')::boolean, (e.earlier ->> 'export')::boolean
  FROM jsonb_array_elements(s.earlier_roles) WITH ORDINALITY e (earlier, place)
) r;
COMMENT ON VIEW series_roles IS 'What each series counts as, by time: a row for each stretch of it in which that is the same. It counts what lies before its readings in (counts_from, counts_until]. Columns as those of series.';
