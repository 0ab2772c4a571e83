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
