import { createHash } from 'node:crypto';
import { castToMilliwattHours, formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import { addEnergies, type BilledEnergyByDirection, type StatementEdit, ZERO_ENERGIES } from './adjustments.ts';
import type { KnownBilledEnergy, RegisterReading } from './billed-energy.ts';
import type { RegisterPeriod } from './registers.ts';

/** Reason for recording a version of a bill: it is the first one, the caller requested another one, or the period is closed. */
export type BillVersionCause = 'first' | 'again' | 'closing';

/** Value of a register in the API's format. */
type ToldReading = {
  /** Register value in kWh, with all six decimals. */
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
  /**
   * Import that the listed registers did not measure: energy measured as power or intervals, or used before a register's first known value.
   * For tariff registers, also energy that the counting rules moved across the start or end of the period.
   */
  import_beside_registers_kwh: string;
  export_beside_registers_kwh: string;
  /** Manual edits in force. Missing in statements recorded before schema version 0055. */
  edits?: StatementEdit[];
};

/** A correction of an earlier period, included in the closing version of another period. */
export type StatementAdjustment = {
  bill_period_id: string;
  start: string;
  end: string;
  import_kwh: string;
  export_kwh: string;
};

/** Recorded version of a bill. All fields are part of the text over which the checksum is computed. */
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
  /** Energy of the period plus the corrections of earlier periods. */
  billed_import_kwh: string;
  billed_export_kwh: string;
  /** Checksum of the previous version of the bill; null for the first version. */
  previous_sha256: string | null;
};

const toldReading = (reading: RegisterReading | null): ToldReading | null =>
  reading && { kwh: formatExactKwh(reading.milliwattHours), at: new Date(reading.atMs).toISOString(), is: reading.is };

/** Converts the known energy of a period to the API's format. Pure. */
export function createStatementEnergy(
  known: KnownBilledEnergy,
  registers: readonly RegisterPeriod[],
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

/** Returns the billed energy: the energy of the period itself plus the corrections of earlier periods. */
export const addAdjustments = (
  own: BilledEnergyByDirection,
  adjustments: readonly BillAdjustment[],
): BilledEnergyByDirection => addEnergies(own, adjustments.reduce(addEnergies, ZERO_ENERGIES));

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/**
 * Returns JSON in the canonical form of RFC 8785: members sorted by their UTF-16 code units, no white space, strings and numbers as in
 * ECMAScript. Equal values give equal bytes.
 */
export function formatCanonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The operator `<` compares strings by their UTF-16 code units, as RFC 8785 requires.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${formatCanonicalJson(one)}`).join(',')}}`;
}

/** Returns the SHA-256 (32 bytes) of the canonical JSON of a value, in UTF-8. */
export const computeChecksum = (value: JsonValue): Buffer =>
  createHash('sha256').update(formatCanonicalJson(value), 'utf8').digest();
