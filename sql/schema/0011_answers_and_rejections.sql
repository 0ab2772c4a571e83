-- What the dashboard shows of deliveries and of rejected messages.

COMMENT ON COLUMN deliveries.attempts IS 'Log of all tries: {at, response_status, duration_ms, error, response_body}, the last the first KiB of a webhook''s answer as text.';

-- Operators ask how much was rejected lately, and what is old is forgotten, by time.
CREATE INDEX rejected_messages_received ON rejected_messages (received_at);
