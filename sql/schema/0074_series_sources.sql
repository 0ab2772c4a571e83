-- Series whose values the service fetches.

CREATE TABLE series_sources (
  series_id       text COLLATE "C" PRIMARY KEY REFERENCES price_series ON DELETE CASCADE,
  settings        jsonb NOT NULL,
  secrets_sealed  bytea,
  fetch_key       text NOT NULL,
  host            text NOT NULL,
  next_fetch_at   timestamptz NOT NULL,
  lease_id        text,
  leased_until    timestamptz,
  fetches         integer NOT NULL DEFAULT 0,
  fetches_on      timestamptz NOT NULL DEFAULT 'epoch',
  retries         integer NOT NULL DEFAULT 0,
  tells_tomorrow  boolean NOT NULL DEFAULT false,
  last_fetched_at timestamptz,
  last_error      text,
  failing_since   timestamptz,
  is_notified     boolean NOT NULL DEFAULT false
);
CREATE INDEX series_sources_due ON series_sources (next_fetch_at);
CREATE INDEX series_sources_fetch_key ON series_sources (fetch_key);
COMMENT ON TABLE series_sources IS 'Where a series fetches its values, and when.';
COMMENT ON COLUMN series_sources.settings IS 'The source in the format of the API, without token and headers.';
COMMENT ON COLUMN series_sources.secrets_sealed IS 'Token and headers as JSON, encrypted. Null: none.';
COMMENT ON COLUMN series_sources.fetch_key IS 'Name of what is fetched: due series with the same key share one fetch.';
COMMENT ON COLUMN series_sources.host IS 'Host and port of the address. Workers together fetch from a host once a second at most.';
COMMENT ON COLUMN series_sources.lease_id IS 'Lease of the worker that fetches it. Null: no worker does. A changed source has none, so that the answer of the previous one is dropped.';
COMMENT ON COLUMN series_sources.fetches IS 'Number of fetches on the UTC day fetches_on.';
COMMENT ON COLUMN series_sources.fetches_on IS 'Start of the UTC day of the last fetch.';
COMMENT ON COLUMN series_sources.retries IS 'Number of retries since the last fetch at a time of day.';
COMMENT ON COLUMN series_sources.tells_tomorrow IS 'Whether an answer ever had values of the next day.';
COMMENT ON COLUMN series_sources.failing_since IS 'Time of the first failure since the last success. Null: the last fetch was successful.';
COMMENT ON COLUMN series_sources.is_notified IS 'Whether the owner was notified of these failures.';

CREATE TABLE source_hosts (
  host       text COLLATE "C" PRIMARY KEY,
  fetched_at timestamptz NOT NULL
);
COMMENT ON TABLE source_hosts IS 'When a worker last fetched from a host, by the clock of the database.';

CREATE TABLE source_checks (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  day     timestamptz NOT NULL,
  checks  integer NOT NULL
);
COMMENT ON TABLE source_checks IS 'How often an account has set or checked sources on its last such UTC day, for a bound.';

ALTER TABLE prices ADD COLUMN fetched bigint[], ADD COLUMN is_fetched boolean[];
COMMENT ON COLUMN prices.fetched IS 'Latest values of the source, in the form of prices. Null: the source had none on the day.';
COMMENT ON COLUMN prices.is_fetched IS 'Whether the value in prices is that of the source. Otherwise the owner has written it, and the source does not replace it. Null: all are the owner''s.';
