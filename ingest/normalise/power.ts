import { asMilliwattHours, MINUTE_MS, type MilliwattHours } from '#src/core/units.ts';
import { afterLastCounted, type Law, type SettingsByTime, type Span } from './law.ts';
import { isSplit, settingsAt } from './settings.ts';

export interface PowerState {
  lastAtMs?: number;
  lastMw?: number;
}

/** What flowed in one direction between two readings, and where it lies; no span: over the whole step. */
interface Side {
  energyMilliwattHours: MilliwattHours;
  span?: Span;
}

const NOTHING: Side = { energyMilliwattHours: asMilliwattHours(0) };

/** numerator ÷ denominator, halves rounded up; exact beyond 2^53. */
function quotient(numerator: bigint, denominator: bigint): MilliwattHours {
  return asMilliwattHours(Number((2n * numerator + denominator) / (2n * denominator)));
}

/** Mean of two powers of one direction in mW over a time in ms, in mWh, halves rounded up. */
function trapezoidMilliwattHours(aMw: number, bMw: number, durationMs: number): MilliwattHours {
  const product = (aMw + bMw) * durationMs;
  if (Number.isSafeInteger(product * 2)) return asMilliwattHours(Math.floor((product + 3_600_000) / 7_200_000));
  return quotient(BigInt(aMw + bMw) * BigInt(durationMs), 7_200_000n);
}

/** The energy of one side of a line that crosses zero: its power at the outer end, and the sum of the powers of both ends. */
function triangleMilliwattHours(powerMw: number, bothMw: number, durationMs: number): MilliwattHours {
  const numerator = BigInt(powerMw) * BigInt(powerMw) * BigInt(durationMs);
  return quotient(numerator, 2n * BigInt(bothMw) * 3_600_000n);
}

/**
 * What flowed forwards and backwards between two readings of power: the area under the straight line between them, on either
 * side of zero. A side too short for a ms of its own lies over the whole step.
 */
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

/** What of a power series counts: the positive part as import, the negative as export, or (export channels) the positive as export. */
export interface PowerRoles {
  import: boolean;
  export: boolean;
  channelDirection: 'import' | 'export';
}

/**
 * The law for power: the area under the straight line between readings that are at most the device's longest gap apart; a
 * longer silence is no data. Takes readings in mW; negative power on an import channel is export, and never netted.
 */
export function powerLaw(settings: SettingsByTime, roles: PowerRoles): Law<PowerState> {
  const at = settingsAt(settings);
  const isExport = roles.channelDirection === 'export';
  return {
    initial: {},
    knows: () => true,
    restart: (before) => afterLastCounted(before, (point) => ({ lastAtMs: point.readAtMs, lastMw: point.value })),
    step({ lastAtMs, lastMw }, point, findings) {
      const maxGapMs = at(point.readAtMs).maxGapMinutes * MINUTE_MS;
      const follows = lastAtMs !== undefined && !isSplit(settings, lastAtMs, point.readAtMs);
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
