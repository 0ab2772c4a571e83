/** A device as the list of them shows it. */
export interface Device {
  device_id: string;
  type: string;
  location: string;
  status: 'active' | 'inactive' | 'faulty';
  last_seen_at: string | null;
}

/** One by itself, with its settings. */
export interface DeviceDetails extends Device {
  user_id: string;
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
  timezone: string | null;
  created_at: string;
}

/** How a device logs in, and where it publishes; shown once. */
export interface DeviceLogin {
  username: string;
  password: string;
  topic: string;
}

/** One that was just paired; what was discovered goes on with its gateway's login. */
export interface PairedDevice extends Device {
  mqtt?: DeviceLogin;
}

/** Something that was heard through a gateway and is not paired. */
export interface Discovered {
  discovery_id: string;
  gateway_id: string;
  family: string;
  native_id: string;
  channels: string[];
  quantities: { channel: string; kind: string; counts: 'import' | 'export' | null }[];
  first_seen_at: string;
  last_seen_at: string;
}

export interface Gateway {
  gateway_id: string;
  name: string;
  created_at: string;
}

export interface CreatedGateway extends Gateway {
  mqtt: { username: string; password: string; topic_prefix: string };
}

/** What each state means, and how it looks. */
export const STATES: Record<Device['status'], { kind: 'good' | 'quiet' | 'bad'; meaning: string }> = {
  active: { kind: 'good', meaning: 'It was heard within the last 24 hours.' },
  inactive: { kind: 'quiet', meaning: 'It has been silent for a day, or was never heard.' },
  faulty: { kind: 'bad', meaning: 'It says so itself, or most of what it sent last could not be used.' },
};

/** Types that clients know; any other word will do. */
export const TYPES: Record<string, string> = {
  smart_meter: 'smart meter',
  thermostat: 'thermostat',
  smart_plug: 'smart plug',
  solar_inverter: 'solar inverter',
  heat_pump: 'heat pump',
  ev_charger: 'EV charger',
  battery: 'battery',
};

/** For people: the usual types as words, others as they were given. */
export const typeName = (type: string): string => TYPES[type] ?? type;
