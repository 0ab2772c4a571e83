import { createHash } from 'node:crypto';
import { asMilliwattHours, exactKwh, type MilliwattHours } from '#src/core/units.ts';
import { type Energies, NOTHING, plus, type ToldEdit } from './adjustments.ts';
import type { Known, RegisterReading } from './billed-energy.ts';
import type { RegisterPeriod } from './registers.ts';

/** Why a version was told. */
export type Cause = 'first' | 'again' | 'closing';

/** What a register showed, in the words of the interface. */
type ToldReading = {
  /** With all six decimals. */
  kwh: string;
  at: string;
  is: RegisterReading['is'];
};

/** What is known of a period: energies in kWh with all six decimals, as text. */
export type ToldEnergy = {
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
  /** What no register above tells: of power, of intervals, of what was known before; of tariffs also what the bounds cut elsewhere. */
  import_beside_registers_kwh: string;
  export_beside_registers_kwh: string;
  /** Edits in force. Statements that were recorded before version 0055 of the schema have none. */
  edits?: ToldEdit[];
};

/** A correction of another period, told with a closing. */
export type ToldAdjustment = {
  bill_period_id: string;
  start: string;
  end: string;
  import_kwh: string;
  export_kwh: string;
};

/** What is told of a bill period at a time: the part that the checksum is about. */
export type Statement = ToldEnergy & {
  bill_period_id: string;
  version: number;
  cause: Cause;
  user_id: string;
  device_id: string | null;
  start: string;
  end: string;
  timezone: string;
  starts_at: string;
  ends_at: string;
  recorded_at: string;
  adjustments: ToldAdjustment[];
  /** Energy of the period and adjustments of others. */
  billed_import_kwh: string;
  billed_export_kwh: string;
  /** Checksum of the version before. */
  previous_sha256: string | null;
};

const toldReading = (reading: RegisterReading | null): ToldReading | null =>
  reading && { kwh: exactKwh(reading.milliwattHours), at: new Date(reading.atMs).toISOString(), is: reading.is };

/** What is known of a period, in the words of the interface. Pure. */
export function toldEnergy(known: Known, registers: readonly RegisterPeriod[], edits: ToldEdit[]): ToldEnergy {
  const beside = (direction: 'import' | 'export', total: MilliwattHours) =>
    exactKwh(
      asMilliwattHours(
        registers.reduce(
          (rest, one) => (one.direction === direction ? rest - (one.energy ?? 0) : rest),
          total as number,
        ),
      ),
    );
  return {
    import_kwh: exactKwh(known.imported),
    export_kwh: exactKwh(known.exported),
    estimated_kwh: exactKwh(known.estimated),
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
      energy_kwh: energy === null ? null : exactKwh(energy),
    })),
    import_beside_registers_kwh: beside('import', known.imported),
    export_beside_registers_kwh: beside('export', known.exported),
    edits,
  };
}

/** A correction of a closed period, mWh. */
export interface Adjustment extends Energies {
  periodId: string;
  start: string;
  end: string;
}

export const toldAdjustment = ({ periodId, start, end, imported, exported }: Adjustment): ToldAdjustment => ({
  bill_period_id: periodId,
  start,
  end,
  import_kwh: exactKwh(imported),
  export_kwh: exactKwh(exported),
});

/** What is billed: the energy of the period, and what is told of others. */
export const billed = (own: Energies, adjustments: readonly Adjustment[]): Energies =>
  plus(own, adjustments.reduce(plus, NOTHING));

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/**
 * JSON in the canonical form of RFC 8785: members in the order of their UTF-16 code units, no blanks, strings and numbers as ECMAScript
 * writes them. Two parties that know the same values get the same bytes.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The default order of strings in ECMAScript is that of their code units.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`).join(',')}}`;
}

/** SHA-256 of the canonical form, in UTF-8; 32 bytes. */
export const checksum = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value), 'utf8').digest();
