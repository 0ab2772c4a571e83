-- Accounts that move alone into another installation (energy migrate --to URL --users FILE), and come from one.

-- Where an account is being left: its rows, taken out of their relations in one transaction, until the other installation has them.
CREATE TABLE parcels (
  place    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  relation text NOT NULL,
  row      jsonb NOT NULL
);
CREATE INDEX parcels_relation ON parcels (relation);
COMMENT ON TABLE parcels IS 'Rows of accounts that are leaving for another installation, taken out of their relations, until that one has them all and what else was theirs is erased.';
COMMENT ON COLUMN parcels.row IS 'The row by the names of its columns.';

CREATE TABLE departures (
  user_id         text COLLATE "C" PRIMARY KEY,
  to_installation text NOT NULL,
  closed_at       timestamptz NOT NULL DEFAULT now(),
  left_at         timestamptz
);
COMMENT ON TABLE departures IS 'Accounts that moved into another installation: nothing else of them is left here.';
COMMENT ON COLUMN departures.to_installation IS 'installation_id of the other one.';
COMMENT ON COLUMN departures.closed_at IS 'When they were closed here; they are open there some seconds later.';
COMMENT ON COLUMN departures.left_at IS 'When the other installation had everything, and it was erased here. Null: the move is not finished.';

CREATE TABLE departed_logins (
  login   text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL
);
CREATE INDEX departed_logins_user ON departed_logins (user_id);
COMMENT ON TABLE departed_logins IS 'Devices and gateways of departed accounts: what they still publish here is kept for where they are.';

CREATE TABLE stray_messages (
  stray_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  login       text COLLATE "C" NOT NULL,
  received_at timestamptz NOT NULL,
  topic       text NOT NULL,
  payload     bytea NOT NULL,
  replayed    boolean NOT NULL
);
CREATE INDEX stray_messages_login ON stray_messages (login, stray_id);
COMMENT ON TABLE stray_messages IS 'Messages that devices of departed accounts still published here, as they came, until energy migrate --users takes them to where the account is.';
COMMENT ON COLUMN stray_messages.replayed IS 'The broker delivered it at subscription, with the retain flag.';

CREATE TABLE arrivals (
  user_id           text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  from_installation text NOT NULL,
  arrived_at        timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE arrivals IS 'Accounts that came from another installation.';
COMMENT ON COLUMN arrivals.from_installation IS 'installation_id of the other one.';

CREATE TABLE arriving_series (
  series_id bigint PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL,
  channel   text NOT NULL,
  kind      text NOT NULL,
  UNIQUE (device_id, channel, kind)
);
COMMENT ON TABLE arriving_series IS 'Series of accounts that are on their way here: the numbers that they will have, under which their readings are here already.';

-- Days of some users alone are unpacked, too.
DROP FUNCTION IF EXISTS unpack_days(integer);
