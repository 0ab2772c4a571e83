-- Who there is: users, their keys, their devices. Identifiers are the API's own (`usr_…`, `dev_…`), in the "C"
-- collation: they are compared, never sorted for people.

CREATE TABLE users (
  user_id     text COLLATE "C" PRIMARY KEY,
  email       text NOT NULL,
  role        text NOT NULL CHECK (role IN ('homeowner', 'utility', 'admin')),
  phone       text,
  timezone    text NOT NULL DEFAULT 'UTC',
  plan        text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'developer', 'enterprise')),
  enrolled_by text COLLATE "C" REFERENCES users ON DELETE SET NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE INDEX users_enrolled_by ON users (enrolled_by);
COMMENT ON TABLE users IS 'Accounts. enrolled_by names the utility that created a homeowner, and so may see it.';

CREATE TABLE api_keys (
  key_id       text COLLATE "C" PRIMARY KEY,
  user_id      text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  key_sha256   bytea NOT NULL UNIQUE,
  prefix       text NOT NULL,
  name         text,
  scopes       text[] NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX api_keys_user ON api_keys (user_id);
COMMENT ON TABLE api_keys IS 'API keys, stored as SHA-256 with a visible prefix; the key itself is shown once and kept nowhere.';

CREATE TABLE devices (
  device_id         text COLLATE "C" PRIMARY KEY,
  user_id           text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  type              text NOT NULL,
  location          text NOT NULL,
  status            text NOT NULL DEFAULT 'inactive' CHECK (status IN ('active', 'inactive', 'faulty')),
  limit_kw          double precision NOT NULL DEFAULT 100 CHECK (limit_kw > 0),
  register_max_kwh  double precision CHECK (register_max_kwh > 0),
  max_gap_minutes   double precision NOT NULL DEFAULT 15 CHECK (max_gap_minutes > 0),
  timezone          text,
  mqtt_secret_sha256 bytea NOT NULL,
  last_seen_at      timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  deleted_at        timestamptz
);
CREATE INDEX devices_user ON devices (user_id);
COMMENT ON TABLE devices IS 'Paired devices. A deleted device keeps its row (deleted_at) and its past consumption, but may no longer log in.';
COMMENT ON COLUMN devices.limit_kw IS 'Highest plausible load in kW; steeper register steps are held (law of consumption).';
COMMENT ON COLUMN devices.register_max_kwh IS 'Value at which the register wraps to 0, where it does.';
COMMENT ON COLUMN devices.max_gap_minutes IS 'Longest silence in minutes that power readings are integrated over.';
