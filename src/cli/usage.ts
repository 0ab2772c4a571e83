import type { Command } from 'commander';
import { monthlyAnalytics } from '#src/api/v1/analytics/operations.ts';
import { deviceUsage } from '#src/api/v1/devices/usage.ts';
import { getEnergyInsights } from '#src/api/v1/energy-insights/get.ts';
import type { Database } from '#src/database/connect.ts';
import { energyReadings } from '#src/devices/energy-readings.ts';
import { addVerb, type Noun } from './nouns/verbs.ts';

const USER: Noun = { name: 'user', id: 'user_id', columns: [] };
const DEVICE: Noun = { name: 'device', id: 'device_id', columns: [] };

/** `energy usage …`: what homes and devices used, by the operations of the interface. */
export function register(program: Command): void {
  const usage = program.command('usage').description('what a home or a device used');
  addVerb(usage, 'get', USER, getEnergyInsights);
  addVerb(usage, 'months', USER, monthlyAnalytics);
  addVerb(usage, 'device', DEVICE, deviceUsage, { whyNothing });
}

/** Why nothing is told of a device's usage: a first reading is the beginning of the first interval. */
async function whyNothing(db: Database, deviceId: string): Promise<string> {
  const { first, areSingle } = await energyReadings(db, deviceId);
  if (first === null) return 'No reading of energy is stored of this device.';
  if (areSingle)
    return `One reading came, at ${first.toISOString()}. Usage lies between two readings: it begins with the second.`;
  return 'No usage of this device is known in this time. What a device made or stored is told with --include production (a battery: charged,discharged).';
}
