-- One worker serves a broker now, by session 1; the others stand by.
COMMENT ON TABLE ingest_slots IS 'Sessions that ingest workers of earlier versions had at an external broker.';
COMMENT ON COLUMN ingest_slots.is_subscribed IS 'Whether the broker keeps messages for that session: the worker that serves empties it, once nobody else does.';
