import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { MeterState, SimulatedHome } from '../home-clock.ts';

/** One element of a meter's message on the topic `energy/v1/{device_id}/readings`. */
export interface MeterReading {
  ts: string;
  /** Channel of the register. If it is not set, the register is the imported energy. */
  channel?: string;
  energy_total_kwh: number;
  power_w?: number;
}

/** Returns the topic on which a native device publishes its readings. */
export function getReadingsTopic(deviceId: string): string {
  return `energy/v1/${deviceId}/readings`;
}

/** Returns the reading of one register in whole watt-hours. Real meters count in this unit. */
export function createRegisterReading(
  meter: MeterState,
  atMs: number,
  withPower: boolean,
  channel?: string,
): MeterReading {
  return {
    ts: new Date(atMs).toISOString(),
    ...omitUndefined({ channel }),
    energy_total_kwh: Math.floor(meter.registerMilliwattHours / 1000) / 1000,
    ...omitUndefined({ power_w: withPower ? meter.powerW : undefined }),
  };
}

/** Returns the reading of the home's meter at one time. `withPower`: whether it also contains the current power. */
export function createMeterReading(home: SimulatedHome, atMs: number, withPower: boolean): MeterReading {
  return createRegisterReading(home.at(atMs), atMs, withPower);
}

/** Yields a reading of the register at each whole multiple of the cadence in [from, to]. */
export function* generateMeterReadings(
  home: SimulatedHome,
  fromMs: number,
  toMs: number,
  cadenceSeconds: number,
): Generator<MeterReading> {
  for (const atMs of listCadenceTimes(fromMs, toMs, cadenceSeconds)) yield createMeterReading(home, atMs, false);
}

/** Yields each whole multiple of the cadence in [from, to], in Unix ms. */
export function* listCadenceTimes(fromMs: number, toMs: number, cadenceSeconds: number): Generator<number> {
  const stepMs = cadenceSeconds * 1000;
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) yield atMs;
}
