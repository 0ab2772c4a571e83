import type { SimulatedHome } from '../home-clock.ts';
import { createTariffSplitter, type TariffRegisters } from '../tariffs.ts';
import { type FamilyDevice, formatRegister } from './family-device.ts';

/**
 * Interval between published telegrams, in ms. A DSMR 5 meter sends one telegram every second, and DSMR-reader usually uses every tenth.
 */
const TELEGRAM_MS = 10_000;

/**
 * A Dutch smart meter behind DSMR-reader, which publishes each telegram as one retained JSON object with decimals as strings.
 * `electricity_delivered_1` (low tariff) and `electricity_delivered_2` (normal tariff) are registers in kWh with three decimals. Power is
 * in kW. The time is in UTC.
 *
 * @param options.tz Time zone of the meter's tariff clock.
 * @param options.topic Topic configured in DSMR-reader (default `dsmr/json`).
 */
export function p1DsmrReader({ tz, topic = 'dsmr/json' }: { tz: string; topic?: string }): FamilyDevice {
  let split: ((atMs: number) => TariffRegisters) | undefined;
  return {
    family: 'dsmr-reader',
    nativeId: topic,
    // DSMR-reader sends no message on connect: it has no discovery and no availability.
    greeting: () => [],
    messages(home, atMs) {
      split ??= createTariffSplitter(home, tz);
      return [{ topic, payload: JSON.stringify(telegram(home, atMs, split(atMs))), retain: true }];
    },
  };
}

function telegram(
  home: SimulatedHome,
  atMs: number,
  { lowMilliwattHours, highMilliwattHours }: TariffRegisters,
): object {
  const kilowatts = (home.at(atMs).powerW / 1000).toFixed(3);
  return {
    id: Math.floor((atMs - home.installedAtMs) / TELEGRAM_MS) + 1,
    timestamp: utc(atMs),
    electricity_delivered_1: formatRegister(lowMilliwattHours, 'kWh', 3),
    electricity_returned_1: '0.000',
    electricity_delivered_2: formatRegister(highMilliwattHours, 'kWh', 3),
    electricity_returned_2: '0.000',
    electricity_currently_delivered: kilowatts,
    electricity_currently_returned: '0.000',
    phase_currently_delivered_l1: kilowatts,
    phase_currently_delivered_l2: null,
    phase_currently_delivered_l3: null,
    extra_device_timestamp: utc(Math.floor(atMs / 300_000) * 300_000),
    extra_device_delivered: '1523.847',
  };
}

function utc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
