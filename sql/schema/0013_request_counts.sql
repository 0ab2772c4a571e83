-- What is known of requests is decided on by the processes (src/auth/request-windows.ts) and only added up here: as numbers.
DROP FUNCTION IF EXISTS take_requests(text[], integer[], jsonb, timestamptz);
DROP TABLE request_counts;

-- Lost at a crash of the database, and then begun anew: that is worth not writing them ahead.
CREATE UNLOGGED TABLE request_counts (
  counted            text COLLATE "C" PRIMARY KEY,
  minute_from_ms     bigint NOT NULL DEFAULT 0,
  minute_count       bigint NOT NULL DEFAULT 0,
  day_from_ms        bigint NOT NULL DEFAULT 0,
  day_count          bigint NOT NULL DEFAULT 0,
  denied_from_ms     bigint NOT NULL DEFAULT 0,
  denied_count       bigint NOT NULL DEFAULT 0,
  suspended_until_ms bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE request_counts IS 'Requests of an account (its user_id), or failed authentications of an address, in the windows that limits are set for. Times in Unix ms; 0: none yet.';
COMMENT ON COLUMN request_counts.denied_count IS 'Requests answered 429 since denied_from_ms, ten minutes at most.';
