/** What Home Assistant is told of a sensor. `isPart`: it begins again with each month or day, of which `last_reset` tells the start. */
export interface Sensor {
  /** In English: Home Assistant shows it as it is, and makes the entity's id of it. */
  name: string;
  deviceClass: 'energy' | 'power' | 'monetary' | 'gas' | 'water';
  /** Null: no statistics are kept of it. */
  stateClass: 'total' | 'measurement' | null;
  /** Null: the currency of the tariff, ISO 4217. */
  unit: 'kWh' | 'W' | 'm³' | null;
  /** Decimals that are shown; the state has all of them. */
  decimals: number;
  part?: 'month' | 'day';
}

const energy = { deviceClass: 'energy', stateClass: 'total', unit: 'kWh', decimals: 2, part: 'month' } as const;
const volume = { stateClass: 'total', unit: 'm³', decimals: 2, part: 'month' } as const;
const money = { deviceClass: 'monetary', stateClass: 'total', unit: null, decimals: 2 } as const;

/**
 * What is told of a home, in this order. A further figure is a line here and its value in `home-report.ts`.
 *
 * Not registers since ever: whoever brings years of history, or says that a plug is an inverter, changes the whole past, and Home Assistant would
 * show all of it as used in one hour. A sum of the month so far, with the month's start as its `last_reset`, can rise and fall by
 * corrections, and what was before it is never told again (docs/decisions/0065).
 */
export const HOME_SENSORS = {
  power: { deviceClass: 'power', stateClass: 'measurement', unit: 'W', decimals: 0, name: 'Power' },
  used: { ...energy, name: 'Used this month' },
  grid_import: { ...energy, name: 'Grid import this month' },
  grid_export: { ...energy, name: 'Grid export this month' },
  production: { ...energy, name: 'Production this month' },
  charged: { ...energy, name: 'Battery charged this month' },
  discharged: { ...energy, name: 'Battery discharged this month' },
  gas: { ...energy, name: 'Gas this month' },
  gas_m3: { ...volume, deviceClass: 'gas', name: 'Gas volume this month' },
  water_m3: { ...volume, deviceClass: 'water', name: 'Water this month' },
  heat: { ...energy, name: 'Heat this month' },
  cost: { ...money, part: 'month', name: 'Cost this month' },
  used_today: { ...energy, part: 'day', name: 'Used today' },
  cost_today: { ...money, part: 'day', name: 'Cost today' },
  // What nobody used yet: the Energy page must not count it.
  forecast: { deviceClass: 'energy', stateClass: null, unit: 'kWh', decimals: 0, name: 'Forecast of this month' },
  forecast_cost: { ...money, stateClass: null, decimals: 0, name: 'Forecast of this month’s cost' },
} as const satisfies Record<string, Sensor>;

/** What is told of one device. */
export const DEVICE_SENSORS = {
  import: { ...energy, name: 'Import this month' },
  export: { ...energy, name: 'Export this month' },
  power: { deviceClass: 'power', stateClass: 'measurement', unit: 'W', decimals: 0, name: 'Power' },
} as const satisfies Record<string, Sensor>;

/** Values of sensors; one that is not named is not there, null is not known. Money is text, with all decimals of its currency. */
type Values<Sensors> = { [Name in keyof Sensors]?: number | string | null };

/** What is told of a home at a moment. */
export interface HomeReport {
  userId: string;
  /** By which its owner knows it apart from other homes; null: there is no other. */
  owner: string | null;
  /** ISO 4217; null: no tariff holds. */
  currency: string | null;
  /** Starts of what the sums are about, ISO 8601 with the zone's offset. */
  since: { month: string; day: string };
  values: Values<typeof HOME_SENSORS>;
  devices: DeviceReport[];
}

/** What is told of one of its devices. */
export interface DeviceReport {
  deviceId: string;
  name: string;
  type: string;
  values: Values<typeof DEVICE_SENSORS>;
}
