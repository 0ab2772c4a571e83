import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';
import type { DeviceManager, Placement } from '#src/database/enums.ts';
import type { HouseRegisterQuantity } from './demo-house.ts';
import type { HomeFault } from './home-faults.ts';
import type { HomeTraits } from './homes.ts';
import { drawSolarTraits, type SolarTraits } from './solar.ts';

/** A device of a demo home. */
export interface DemoDevicePlan {
  /** Key that is unique among the home's devices. The device's id contains a hash of it. */
  key: string;
  type: string;
  location: string;
  placement?: Placement;
  managedBy?: DeviceManager;
  /** Registers of the device with their channels. A device without registers is a thermostat. */
  registers: readonly (readonly [HouseRegisterQuantity, channel?: string])[];
  /** Name of the meter behind the home's gateway. Set if the register is a volume, which the device sends as SenML. */
  meterName?: string;
}

/** Period of the history in which some of a home's devices sent nothing. Their registers continued to rise. */
interface SilencePlan {
  keys: readonly string[];
  /** Hours from the beginning of the silent period to the time at which the home's meter was paired. */
  hoursBefore: number;
  hours: number;
}

/** A home of the demo. Its e-mail address is also the seed of its simulation. */
export interface DemoHomePlan {
  email: string;
  timezone: string;
  devices: readonly DemoDevicePlan[];
  panels?: SolarTraits;
  /** A past silent period of some of the home's devices, so that the page with the history of silences has entries. */
  silence?: SilencePlan;
  /** Returns those traits of the home that are not drawn from the seed. `firstAtMs`: Unix ms at which the home's meter was paired. */
  traits(firstAtMs: number, utcOffsetMinutes: number): Partial<HomeTraits>;
}

const METER = { key: 'meter', type: 'smart_meter', location: 'Meter cupboard', placement: 'grid' } as const;
const ONE_WAY_METER: DemoDevicePlan = { ...METER, registers: [['gridImport']] };
const TWO_WAY_METER: DemoDevicePlan = { ...METER, registers: [['gridImport'], ['gridExport', 'export']] };
const panels = (location: string): DemoDevicePlan => ({
  key: 'panels',
  type: 'solar_inverter',
  location,
  placement: 'production',
  registers: [['production', 'export']],
});
const BATTERY: DemoDevicePlan = {
  key: 'battery',
  type: 'battery',
  location: 'Home battery',
  placement: 'storage',
  registers: [['charged'], ['discharged', 'export']],
};
const THERMOSTAT: DemoDevicePlan = { key: 'room', type: 'thermostat', location: 'Living room', registers: [] };
const own = (flow: HouseRegisterQuantity, location: string, type = 'smart_plug'): DemoDevicePlan => ({
  key: flow,
  type,
  location,
  placement: 'consumption',
  registers: [[flow]],
});
const volume = (flow: 'gas' | 'water', location: string): DemoDevicePlan => ({
  key: flow,
  type: `${flow}_meter`,
  location,
  registers: [[flow]],
  meterName: `${flow}meter`,
});
const NO_BATTERY = { capacityWh: 0, chargeW: 0, dischargeW: 1 };

/** The households of the demo. The first household shows the most features. Each of the others shows a single feature. */
export const DEMO_HOME_PLANS: readonly DemoHomePlan[] = [
  {
    email: 'anna@demo.example',
    timezone: 'Europe/Berlin',
    panels: drawSolarTraits('anna@demo.example', 52.5),
    traits: () => ({
      heating: 'heat pump',
      hasCar: true,
      measured: ['fridge', 'washing machine', 'dishwasher', 'tv', 'tumble dryer', 'heat pump', 'car'],
    }),
    devices: [
      TWO_WAY_METER,
      panels('Roof'),
      BATTERY,
      own('heat pump', 'Heat pump', 'heat_pump'),
      own('car', 'Car', 'ev_charger'),
      own('fridge', 'Fridge'),
      own('washing machine', 'Washing machine'),
      own('dishwasher', 'Dishwasher'),
      own('tv', 'TV'),
      own('tumble dryer', 'Tumble dryer'),
    ],
  },
  {
    email: 'ben@demo.example',
    timezone: 'Europe/London',
    panels: { latitude: 51.5, peakW: 4_000, battery: NO_BATTERY },
    traits: (firstAtMs, utcOffsetMinutes) => ({
      heating: 'boiler',
      hasCar: false,
      faults: [since('dead inverter', lastAt(0, 11 * 60 + 20, firstAtMs, utcOffsetMinutes))],
    }),
    // The utility manages this meter, so that the demo shows which settings the owner of a managed meter may change.
    devices: [{ ...TWO_WAY_METER, managedBy: 'utility' }, panels('Roof')],
  },
  {
    email: 'chiara@demo.example',
    timezone: 'Europe/Rome',
    traits: (firstAtMs, utcOffsetMinutes) => ({
      heating: 'boiler',
      hasCar: false,
      measured: ['fridge'],
      faults: [since('fridge door', lastAt(null, 18 * 60 + 40, firstAtMs, utcOffsetMinutes))],
    }),
    devices: [ONE_WAY_METER, own('fridge', 'Fridge')],
    silence: { keys: ['meter', 'fridge'], hoursBefore: 129, hours: 3 },
  },
  {
    email: 'daan@demo.example',
    timezone: 'Europe/Amsterdam',
    silence: { keys: ['car'], hoursBefore: 39, hours: 4 },
    traits: () => ({ heating: 'boiler', hasCar: true, measured: ['car'] }),
    devices: [ONE_WAY_METER, own('car', 'Car', 'ev_charger')],
  },
  {
    email: 'emma@demo.example',
    timezone: 'America/New_York',
    traits: (firstAtMs, utcOffsetMinutes) => ({
      heating: 'boiler',
      hasCar: false,
      faults: [since('forgotten heater', lastAt(null, 7 * 60 + 30, firstAtMs, utcOffsetMinutes))],
    }),
    devices: [ONE_WAY_METER, volume('gas', 'Gas meter'), volume('water', 'Water meter'), THERMOSTAT],
    silence: { keys: ['gas', 'water'], hoursBefore: 68, hours: 7 },
  },
  {
    email: 'farid@demo.example',
    timezone: 'America/Los_Angeles',
    panels: { latitude: 34, peakW: 800, battery: NO_BATTERY },
    traits: (firstAtMs, utcOffsetMinutes) => ({
      heating: 'boiler',
      hasCar: false,
      freezer: { watts: 140, everyMinutes: 48, onMinutes: 16 },
      faults: [since('failing freezer', lastAt(null, 14 * 60, firstAtMs, utcOffsetMinutes))],
    }),
    devices: [TWO_WAY_METER, panels('Balcony')],
  },
];

/** Minimum age of a fault, in ms. The service shows a remark (a notice about unusual usage) only if a fault lasts for a day. */
const REMARKED_AFTER_MS = 30 * 3_600_000;
/** Age in ms at which a fault is repaired. A demo that runs longer also shows the end of the fault. */
const REPAIRED_AFTER_MS = 28 * DAY_MS;

const since = (kind: HomeFault['kind'], fromMs: number): HomeFault => ({
  kind,
  fromMs,
  toMs: fromMs + REPAIRED_AFTER_MS,
});

/**
 * Returns the latest time, in Unix ms, at least REMARKED_AFTER_MS before `beforeMs`, on the given weekday (0 = Sunday, null: any) and at
 * the given minute of the local day.
 */
function lastAt(weekday: number | null, minute: number, beforeMs: number, utcOffsetMinutes: number): number {
  const offsetMs = utcOffsetMinutes * MINUTE_MS;
  const latestMs = beforeMs - REMARKED_AFTER_MS + offsetMs - minute * MINUTE_MS;
  const day = Math.floor(latestMs / DAY_MS);
  const daysBack = weekday === null ? 0 : (new Date(day * DAY_MS).getUTCDay() - weekday + 7) % 7;
  return (day - daysBack) * DAY_MS + minute * MINUTE_MS - offsetMs;
}
