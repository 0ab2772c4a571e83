import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import { afterLastCounted, type Law, type LawSettings } from './law.ts';

const MINUTE_MS = 60_000;

export interface PowerState {
  lastAtMs?: number;
  lastMw?: number;
}

/** Mean of two powers in mW over a time in ms, in mWh, halves rounded up; exact beyond 2^53. */
function trapezoidMilliwattHours(aMw: number, bMw: number, durationMs: number): MilliwattHours {
  const product = (aMw + bMw) * durationMs;
  if (Number.isSafeInteger(product * 2)) return asMilliwattHours(Math.floor((product + 3_600_000) / 7_200_000));
  return asMilliwattHours(Number((BigInt(aMw + bMw) * BigInt(durationMs) + 3_600_000n) / 7_200_000n));
}

/** What of a power series counts: the positive part as import, the negative as export, or (export channels) the positive as export. */
export interface PowerRoles {
  import: boolean;
  export: boolean;
  channelDirection: 'import' | 'export';
}

/**
 * The law for power: the trapezoid between readings that are at most the device's longest gap apart; a longer silence
 * is no data. Takes readings in mW; negative power on an import channel is export, and never netted.
 */
export function powerLaw(settings: LawSettings, roles: PowerRoles): Law<PowerState> {
  const maxGapMs = settings.maxGapMinutes * MINUTE_MS;
  const importMw = (mw: number) => (roles.import && roles.channelDirection === 'import' ? Math.max(mw, 0) : 0);
  const exportMw = (mw: number) => {
    if (!roles.export) return 0;
    return Math.max(roles.channelDirection === 'export' ? mw : -mw, 0);
  };
  return {
    initial: {},
    restart: (before) => afterLastCounted(before, (point) => ({ lastAtMs: point.readAtMs, lastMw: point.value })),
    step({ lastAtMs, lastMw }, point, findings) {
      if (lastAtMs !== undefined && lastMw !== undefined && point.readAtMs - lastAtMs <= maxGapMs) {
        const durationMs = point.readAtMs - lastAtMs;
        const imported = trapezoidMilliwattHours(importMw(lastMw), importMw(point.value), durationMs);
        const exported = trapezoidMilliwattHours(exportMw(lastMw), exportMw(point.value), durationMs);
        findings.interval(lastAtMs, point.readAtMs, imported, exported, false);
      }
      return { lastAtMs: point.readAtMs, lastMw: point.value };
    },
  };
}
