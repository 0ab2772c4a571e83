-- What homes pay: tariffs, and prices that are told as they become known.

CREATE TABLE price_series (
  series_id          text COLLATE "C" PRIMARY KEY,
  user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  name               text NOT NULL,
  currency           text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  resolution_minutes smallint NOT NULL CHECK (resolution_minutes IN (15, 30, 60))
);
CREATE INDEX price_series_user ON price_series (user_id, series_id);
COMMENT ON TABLE price_series IS 'Series of prices: whose they are, in which currency, and for how long each price holds.';

CREATE TABLE prices (
  series_id text COLLATE "C" NOT NULL REFERENCES price_series ON DELETE CASCADE,
  day       timestamptz NOT NULL,
  prices    bigint[] NOT NULL CHECK (cardinality(prices) IN (24, 48, 96)),
  PRIMARY KEY (series_id, day)
);
COMMENT ON TABLE prices IS 'Prices of a series on a UTC day, of which at least one is known. A row a day: a year of quarter-hours is read in milliseconds.';
COMMENT ON COLUMN prices.day IS 'Start of the day, UTC.';
COMMENT ON COLUMN prices.prices IS 'What a kWh costs, in billionths of the currency, in order of time: 24, 48 or 96 of them, by the resolution of the series. Null: not known.';

CREATE TABLE tariffs (
  tariff_id  text COLLATE "C" PRIMARY KEY,
  user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  name       text NOT NULL,
  valid_from date NOT NULL,
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  terms      jsonb NOT NULL,
  CONSTRAINT tariffs_valid_from UNIQUE (user_id, valid_from)
);
-- Which tariffs use a series.
CREATE INDEX tariffs_import_series ON tariffs ((terms #>> '{import,series_id}'));
CREATE INDEX tariffs_export_series ON tariffs ((terms #>> '{export,series_id}'));
COMMENT ON TABLE tariffs IS 'What a home pays for energy, and gets for what it feeds in.';
COMMENT ON COLUMN tariffs.valid_from IS 'First day on which it holds, in the zone of its user; until the next one of that user.';
COMMENT ON COLUMN tariffs.terms IS 'What it costs, in the words of the interface (src/tariffs/terms.ts): prices are decimals as text. A series_id in it may be of a series whose owner was erased.';

-- Keys that could do everything can do this, too.
UPDATE api_keys SET scopes = ARRAY['insights:read', 'alerts:read', 'alerts:write', 'users:read', 'users:write', 'devices:read', 'devices:write',
  'webhooks:read', 'webhooks:write', 'tariffs:read', 'tariffs:write', 'keys:write']
WHERE scopes @> ARRAY['insights:read', 'alerts:read', 'alerts:write', 'users:read', 'users:write', 'devices:read', 'devices:write',
  'webhooks:read', 'webhooks:write', 'keys:write'];
