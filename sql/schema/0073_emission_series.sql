-- Intensities of emissions are stored as prices are, in series of another kind, and an account names the series by which its energy counts.

ALTER TABLE price_series ADD COLUMN kind text NOT NULL DEFAULT 'price' CHECK (kind IN ('price', 'emission'));
ALTER TABLE price_series ALTER COLUMN currency DROP NOT NULL;
ALTER TABLE price_series ADD CONSTRAINT price_series_currency_of_kind CHECK ((kind = 'price') = (currency IS NOT NULL));
COMMENT ON TABLE price_series IS 'Series of prices or of emission intensities: the owner, the currency of prices, and for how long each value holds.';
COMMENT ON COLUMN price_series.currency IS 'Currency of prices (ISO 4217). Null: the values are grams of CO2 equivalent.';
COMMENT ON TABLE prices IS 'Values of a series on a UTC day, of which at least one is known. A row a day: a year of quarter-hours is read in milliseconds.';
COMMENT ON COLUMN prices.prices IS 'Values for a kWh, in billionths of the currency or of a gram, in order of time: 24, 48 or 96 of them, by the resolution of the series. Null: not known.';

ALTER TABLE users ADD COLUMN emission_series_id text COLLATE "C";
-- Accounts that use a series.
CREATE INDEX users_emission_series ON users (emission_series_id) WHERE emission_series_id IS NOT NULL;
COMMENT ON COLUMN users.emission_series_id IS 'Series of the intensities by which the account''s emissions are computed. No foreign key, as in tariffs: the owner of the series may have been erased, or may not move with the account.';
