-- Whoever follows a home (GET /v1/usage/stream) is told the hours that changed as subscriptions to usage.updated are, and may
-- go on after a break where it was: the events of a home are made from the first follower on until a day after the last one.
-- Workers of the version before make them for subscriptions only.
ALTER TABLE usage_told ADD COLUMN followed_since timestamptz, ADD COLUMN followed_until timestamptz;

COMMENT ON TABLE usage_told IS 'When usage.updated was last told of a user: a minute lies between two. And whether its home is followed.';
COMMENT ON COLUMN usage_told.told_at IS '1970: never.';
COMMENT ON COLUMN usage_told.followed_since IS 'From when on every change of the home''s hours is in an event, without a gap, by this server''s clock. Null: nobody followed it yet.';
COMMENT ON COLUMN usage_told.followed_until IS 'Until when that holds, unless somebody follows it still. Null: as followed_since.';

CREATE INDEX events_usage ON events (user_id, event_id) WHERE type = 'usage.updated';
