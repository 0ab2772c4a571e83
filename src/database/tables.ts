import type { Generated } from 'kysely';

/** Relations as typed queries see them. Catalogue with units: sql/README.md. */
export interface Tables {
  users: UsersTable;
  api_keys: ApiKeysTable;
  devices: DevicesTable;
  device_intervals: Profile & { device_id: string; starts_at: Date; user_id: string };
  device_hourly: Profile & { device_id: string; hour: Date; user_id: string };
  user_hourly: Profile & { user_id: string; hour: Date };
  user_daily: Profile & { user_id: string; day: Date; peak_hour: Date | null };
  user_monthly: Profile & { user_id: string; month: Date; peak_hour: number | null };
}

interface UsersTable {
  user_id: string;
  email: string;
  role: 'homeowner' | 'utility' | 'admin';
  phone: string | null;
  timezone: Generated<string>;
  plan: Generated<'free' | 'developer' | 'enterprise'>;
  enrolled_by: string | null;
  created_at: Generated<Date>;
}

interface ApiKeysTable {
  key_id: string;
  user_id: string;
  key_sha256: Buffer;
  prefix: string;
  name: string | null;
  scopes: string[];
  created_at: Generated<Date>;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

interface DevicesTable {
  device_id: string;
  user_id: string;
  type: string;
  location: string;
  status: Generated<'active' | 'inactive' | 'faulty'>;
  limit_kw: Generated<number>;
  register_max_kwh: number | null;
  max_gap_minutes: Generated<number>;
  timezone: string | null;
  mqtt_secret_sha256: Buffer;
  last_seen_at: Date | null;
  created_at: Generated<Date>;
  deleted_at: Date | null;
}

interface Profile {
  energy_mwh: number;
  estimated_mwh: number;
  export_mwh: number;
  reading_count: number;
  covered_ms: number;
  export_covered_ms: number;
}
