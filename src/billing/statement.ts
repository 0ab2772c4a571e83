import { createHash } from 'node:crypto';
import { castToMilliwattHours, formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import { addEnergies, type BilledEnergyByDirection, type StatementEdit, ZERO_ENERGIES } from './adjustments.ts';
import type { BilledEnergyOfRange, RegisterReading } from './billed-energy.ts';
import type { RegisterInBillPeriod } from './registers.ts';

/** Why a version of a bill was recorded: it is the first version, somebody requested another version, or the period is closed. */
export type BillVersionCause = 'first' | 'again' | 'closing';

type ToldReading = {
  kwh: string;
  at: string;
  is: RegisterReading['is'];
};

/** Known energy of a period: kWh as text with all six decimals. */
export type StatementEnergy = {
  import_kwh: string;
  export_kwh: string;
  estimated_kwh: string;
  intervals: number;
  intervals_known: number;
  intervals_estimated: number;
  registers: {
    device_id: string;
    channel: string;
    native_name: string;
    direction: 'import' | 'export';
    at_start: ToldReading | null;
    at_end: ToldReading | null;
    energy_kwh: string | null;
  }[];
  /** Import in addition to that of the listed registers: for example energy that was measured as power. */
  import_beside_registers_kwh: string;
  export_beside_registers_kwh: string;
  /** Edits of readings. Missing in bill statements from before schema version 0055. */
  edits?: StatementEdit[];
};

/** A correction of an earlier period that is billed with the period of this statement. */
export type StatementAdjustment = {
  bill_period_id: string;
  start: string;
  end: string;
  import_kwh: string;
  export_kwh: string;
};

/** Recorded version of a bill. The checksum covers all fields. */
export type BillStatement = StatementEnergy & {
  bill_period_id: string;
  version: number;
  cause: BillVersionCause;
  user_id: string;
  device_id: string | null;
  start: string;
  end: string;
  timezone: string;
  starts_at: string;
  ends_at: string;
  recorded_at: string;
  adjustments: StatementAdjustment[];
  /** Energy of the period plus corrections of earlier periods. */
  billed_import_kwh: string;
  billed_export_kwh: string;
  /** Checksum of the previous version; null for the first version. */
  previous_sha256: string | null;
};

const toldReading = (reading: RegisterReading | null): ToldReading | null =>
  reading && { kwh: formatExactKwh(reading.milliwattHours), at: new Date(reading.atMs).toISOString(), is: reading.is };

export function createStatementEnergy(
  known: BilledEnergyOfRange,
  registers: readonly RegisterInBillPeriod[],
  edits: StatementEdit[],
): StatementEnergy {
  const beside = (direction: 'import' | 'export', total: MilliwattHours) =>
    formatExactKwh(
      castToMilliwattHours(
        registers.reduce(
          (rest, one) => (one.direction === direction ? rest - (one.energy ?? 0) : rest),
          total as number,
        ),
      ),
    );
  return {
    import_kwh: formatExactKwh(known.imported),
    export_kwh: formatExactKwh(known.exported),
    estimated_kwh: formatExactKwh(known.estimated),
    intervals: known.intervals,
    intervals_known: known.intervalsKnown,
    intervals_estimated: known.intervalsEstimated,
    registers: registers.map(({ deviceId, channel, nativeName, direction, atStart, atEnd, energy }) => ({
      device_id: deviceId,
      channel,
      native_name: nativeName,
      direction,
      at_start: toldReading(atStart),
      at_end: toldReading(atEnd),
      energy_kwh: energy === null ? null : formatExactKwh(energy),
    })),
    import_beside_registers_kwh: beside('import', known.imported),
    export_beside_registers_kwh: beside('export', known.exported),
    edits,
  };
}

/** A correction of a closed period, in mWh. */
export interface BillAdjustment extends BilledEnergyByDirection {
  periodId: string;
  start: string;
  end: string;
}

export const createStatementAdjustment = ({
  periodId,
  start,
  end,
  imported,
  exported,
}: BillAdjustment): StatementAdjustment => ({
  bill_period_id: periodId,
  start,
  end,
  import_kwh: formatExactKwh(imported),
  export_kwh: formatExactKwh(exported),
});

export const addAdjustments = (
  own: BilledEnergyByDirection,
  adjustments: readonly BillAdjustment[],
): BilledEnergyByDirection => addEnergies(own, adjustments.reduce(addEnergies, ZERO_ENERGIES));

type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [member: string]: JsonValue };

/** Returns JSON in the canonical form of RFC 8785. Equal values give equal bytes. */
export function formatCanonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // `<` compares strings by UTF-16 code units, as RFC 8785 requires.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${formatCanonicalJson(one)}`).join(',')}}`;
}

export const computeChecksum = (value: JsonValue): Buffer =>
  createHash('sha256').update(formatCanonicalJson(value), 'utf8').digest();
