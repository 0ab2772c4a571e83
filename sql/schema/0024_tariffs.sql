-- Of a circuit's tariffs one runs at a time: where the energy of a step lies depends on the others (ingest/normalise/tariffs.ts).

ALTER TABLE series ADD COLUMN tariff_since timestamptz;
COMMENT ON COLUMN series.tariff_since IS 'Of a tariff that counts: its steps that end after this time lie after those of the others. -infinity: all of them. Null: it is none.';

-- What is stored stays where it is, until a device is computed anew: from the last reading on.
UPDATE series s SET tariff_since = 'epoch'::timestamptz + (law ->> 1)::bigint * interval '1 millisecond'
FROM devices d JOIN device_heads h USING (device_id), jsonb_array_elements(h.laws::jsonb) law
WHERE d.device_id = s.device_id AND (law ->> 0)::bigint = s.series_id AND s.kind = 'register' AND (s.counts_import OR s.counts_export)
  AND coalesce(d.channels -> coalesce(s.native_name, s.channel || ' energy_total_kwh') ->> 'counts_as', s.channel)
    ~ '(^|/)t\d+(/(?!l\d+(/|$))[^/]*)*$';
