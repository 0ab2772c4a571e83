-- A remark on a home is raised once as an event, however many days it stands.
CREATE TABLE raised_remarks (
  user_id  text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  kind     text NOT NULL,
  subject  text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  seen_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, kind, subject)
);
COMMENT ON TABLE raised_remarks IS 'Remarks that were raised as remark.raised and still stand. The primary key ensures that each is raised once.';
COMMENT ON COLUMN raised_remarks.subject IS 'The device, day or tariff that the remark is about. Empty: the home.';
COMMENT ON COLUMN raised_remarks.seen_at IS 'When a worker last found the remark. Three days later it is over, and the row is deleted.';

ALTER TABLE webhooks DROP CONSTRAINT webhooks_event_check;
ALTER TABLE webhooks ADD CONSTRAINT webhooks_event_check
  CHECK (event IN ('usage.updated', 'alert.triggered', 'device.connected', 'user.created', 'remark.raised'));

-- A subscription can have several events. Processes of the previous version write and read only `event`, the first of them.
ALTER TABLE webhooks ADD COLUMN events text[];
UPDATE webhooks SET events = ARRAY[event];
ALTER TABLE webhooks ALTER COLUMN events SET NOT NULL;
ALTER TABLE webhooks ADD CONSTRAINT webhooks_events_check CHECK (
  event = events[1] AND cardinality(events) <= 5
  AND events <@ ARRAY['usage.updated', 'alert.triggered', 'device.connected', 'user.created', 'remark.raised']);
COMMENT ON TABLE webhooks IS 'Subscriptions to events. The secret is sealed with the service''s key, and never shown.';
COMMENT ON COLUMN webhooks.events IS 'The events that are sent. Never empty.';
COMMENT ON COLUMN webhooks.event IS 'The first of events, for processes of earlier versions. Nothing else reads it.';

CREATE FUNCTION fill_webhook_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.events := coalesce(NEW.events, ARRAY[NEW.event]);
  RETURN NEW;
END $$;
CREATE TRIGGER webhooks_fill_events BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION fill_webhook_events();
