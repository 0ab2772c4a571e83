import { castToMilliwattHours, MINUTE_MS, type MilliwattHours } from '#src/core/units.ts';
import {
  type CountingRule,
  type CountingSettingsByTime,
  findRestartAfterLastCountedReading,
  type TimeSpan,
} from './counting-rule.ts';
import { createCountingSettingsLookup, hasCounterChangeBetween } from './settings.ts';

export interface PowerState {
  lastAtMs?: number;
  lastMw?: number;
}

/** The energy of one direction between two readings. Without a span, it flowed during the whole time between them. */
interface Side {
  energyMilliwattHours: MilliwattHours;
  span?: TimeSpan;
}

const NOTHING: Side = { energyMilliwattHours: castToMilliwattHours(0) };

/** Returns numerator ÷ denominator; halves are rounded up. The result is exact beyond 2^53. */
function quotient(numerator: bigint, denominator: bigint): MilliwattHours {
  return castToMilliwattHours(Number((2n * numerator + denominator) / (2n * denominator)));
}

/**
 * Returns the energy in mWh between two powers (mW) of the same direction: the mean power, multiplied by the duration. Halves are rounded
 * up.
 */
function trapezoidMilliwattHours(aMw: number, bMw: number, durationMs: number): MilliwattHours {
  const product = (aMw + bMw) * durationMs;
  if (Number.isSafeInteger(product * 2)) return castToMilliwattHours(Math.floor((product + 3_600_000) / 7_200_000));
  return quotient(BigInt(aMw + bMw) * BigInt(durationMs), 7_200_000n);
}

/**
 * Returns the energy of one direction if the power changes linearly and crosses zero. `powerMw`: power of this direction at one end.
 * `bothMw`: sum of the absolute powers at both ends.
 */
function triangleMilliwattHours(powerMw: number, bothMw: number, durationMs: number): MilliwattHours {
  const numerator = BigInt(powerMw) * BigInt(powerMw) * BigInt(durationMs);
  return quotient(numerator, 2n * BigInt(bothMw) * 3_600_000n);
}

/** Splits the energy between two power readings by direction. The power is assumed to change linearly. */
function sides(aMs: number, aMw: number, bMs: number, bMw: number): { forwards: Side; backwards: Side } {
  const durationMs = bMs - aMs;
  if (Math.sign(aMw) * Math.sign(bMw) !== -1) {
    const energyMilliwattHours = trapezoidMilliwattHours(Math.abs(aMw), Math.abs(bMw), durationMs);
    return aMw + bMw > 0
      ? { forwards: { energyMilliwattHours }, backwards: NOTHING }
      : { forwards: NOTHING, backwards: { energyMilliwattHours } };
  }
  const [a, b] = [Math.abs(aMw), Math.abs(bMw)];
  const crossingMs = aMs + Number((BigInt(a) * BigInt(durationMs)) / BigInt(a + b));
  const side = (mw: number, startMs: number, endMs: number): Side => {
    const energyMilliwattHours = triangleMilliwattHours(mw, a + b, durationMs);
    return startMs < endMs ? { energyMilliwattHours, span: { startMs, endMs } } : { energyMilliwattHours };
  };
  const [before, after] = [side(a, aMs, crossingMs), side(b, crossingMs, bMs)];
  return aMw > 0 ? { forwards: before, backwards: after } : { forwards: after, backwards: before };
}

/** Which part of a power series is counted: the positive part as import or export, or also the negative part as export. */
interface PowerRoles {
  import: boolean;
  export: boolean;
  channelDirection: 'import' | 'export';
}

/**
 * The rule that converts power readings (mW) into energy: the area under the line between two readings. No energy is counted if more time
 * passes than the device's maximum gap.
 */
export function createPowerCountingRule(settings: CountingSettingsByTime, roles: PowerRoles): CountingRule<PowerState> {
  const at = createCountingSettingsLookup(settings);
  const isExport = roles.channelDirection === 'export';
  return {
    initial: {},
    knows: () => true,
    restart: (before) =>
      findRestartAfterLastCountedReading(before, (point) => ({ lastAtMs: point.readAtMs, lastMw: point.value })),
    step({ lastAtMs, lastMw }, point, findings) {
      const maxGapMs = at(point.readAtMs).maxGapMinutes * MINUTE_MS;
      const follows = lastAtMs !== undefined && !hasCounterChangeBetween(settings, lastAtMs, point.readAtMs);
      if (follows && lastMw !== undefined && point.readAtMs - lastAtMs <= maxGapMs) {
        const { forwards, backwards } = sides(lastAtMs, lastMw, point.readAtMs, point.value);
        const imported = roles.import && !isExport ? forwards : NOTHING;
        const exported = roles.export ? (isExport ? forwards : backwards) : NOTHING;
        findings.interval({
          startMs: lastAtMs,
          endMs: point.readAtMs,
          importMilliwattHours: imported.energyMilliwattHours,
          exportMilliwattHours: exported.energyMilliwattHours,
          estimated: false,
          ...(imported.span ? { importSpan: imported.span } : {}),
          ...(exported.span ? { exportSpan: exported.span } : {}),
        });
      }
      return { lastAtMs: point.readAtMs, lastMw: point.value };
    },
  };
}
