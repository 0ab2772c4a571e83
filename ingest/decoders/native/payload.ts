import { z } from 'zod';

/** Highest register value in kWh: in mWh it is still an exact number. */
const MAX_REGISTER_KWH = 9_000_000_000;
const MAX_INTERVAL_KWH = 1_000_000;
const MAX_INTERVAL_SECONDS = 31 * 86_400;
const MAX_POWER_W = 100_000_000;

const unixMs = (seconds: number) => (Math.abs(seconds) >= 100_000_000_000 ? seconds : seconds * 1_000);

/** ISO 8601 with a zone, Unix seconds, or Unix milliseconds (told apart by size: seconds reach 11 digits in 5138). */
const time = z.union([
  z.iso.datetime({ offset: true, error: 'ts is not ISO 8601 with a zone' }).transform((text) => Date.parse(text)),
  z.number().transform((number) => Math.round(unixMs(number))),
]);

const channel = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/, 'channel: lower-case words of a-z, 0-9, _ and - between slashes');

/** One element of a native payload (decisions of the interface, section "Devices and topics"). Other members are ignored. */
export const nativeReading = z
  .object({
    ts: time.optional(),
    channel: channel.default('import'),
    energy_total_kwh: z.number().min(0).max(MAX_REGISTER_KWH).optional(),
    energy_kwh: z.number().min(0).max(MAX_INTERVAL_KWH).optional(),
    interval_s: z.number().positive().max(MAX_INTERVAL_SECONDS).optional(),
    power_w: z.number().min(-MAX_POWER_W).max(MAX_POWER_W).optional(),
    temperature_c: z.number().min(-100).max(200).optional(),
    setpoint_c: z.number().min(-100).max(200).optional(),
    heating: z.boolean().optional(),
    humidity_percent: z.number().min(0).max(100).optional(),
  })
  .superRefine((reading, context) => {
    const reject = (message: string) => context.addIssue({ code: 'custom', message });
    if (reading.energy_kwh !== undefined && reading.interval_s === undefined) reject('energy_kwh needs interval_s');
    if (reading.energy_kwh !== undefined && reading.ts === undefined) {
      reject('energy_kwh needs ts: a repeated delivery could not be told from new energy');
    }
    if (QUANTITIES.every((name) => reading[name] === undefined)) reject('no quantity');
  });

const QUANTITIES = [
  'energy_total_kwh',
  'energy_kwh',
  'power_w',
  'temperature_c',
  'setpoint_c',
  'heating',
  'humidity_percent',
] as const;

export type NativeReading = z.infer<typeof nativeReading>;

export const nativeStatus = z.enum(['online', 'offline', 'faulty']);
