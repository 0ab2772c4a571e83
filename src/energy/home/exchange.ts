import type { Database } from '#src/database/connect.ts';
import { sumWeightedQuarterHours } from '../usage/quarter-hours.ts';
import { sumExpectedCoverageMs } from './contribution-spans.ts';
import type { Home } from './home.ts';
import { computeExpectedMsByQuarterHour } from './quarter-hours.ts';
import { computeMeasureWeights, listRolePeriods, type MeasureWeights, type WeightedTimeRange } from './role-periods.ts';
import type { ExpectedChannelMsFunction } from './roles.ts';

const SUMS = [
  'imported',
  /** The estimated part of the imported energy. */
  'estimated',
  'exported',
  /** Part of `exported` while the home had neither production nor storage. */
  'exportedAlone',
  'production',
  /** Time in ms with known production. */
  'productionMs',
  'charged',
  /** The balance of the home's energy, which determines its usage. */
  'balance',
  /** Time in ms for which all grid, production and storage channels are known. */
  'knownMs',
] as const;
type ExchangeSum = (typeof SUMS)[number];

/** Energy that a home imported, exported, produced and stored, by quarter-hour (UTC), in whole mWh. */
export type HomeEnergyExchange = Record<Exclude<ExchangeSum, 'knownMs'>, Float64Array> & {
  /** 1 for each completely known quarter-hour of a home with a grid meter, otherwise 0. */
  isKnown: Float64Array;
};

/** Reads the energy that a home exchanged with the grid, produced and stored. Both times must be starts of quarter-hours. */
export async function readHomeEnergyExchange(
  db: Database,
  home: Home,
  range: { from: Date; to: Date },
): Promise<HomeEnergyExchange> {
  const { knownMs, ...sums } = await sumWeightedQuarterHours(db, exchangeParts(home, range), range, SUMS);
  const expected = computeExpectedMsByQuarterHour(home, range.from.getTime(), knownMs.length, exchangedChannels);
  const isKnown = expected.map((ms, at) => Number(ms > 0 && (knownMs[at] as number) >= ms));
  return { ...sums, isKnown };
}

/** Returns the factors by which the measures of each device are multiplied before they are added up. */
function exchangeParts(home: Home, range: { from: Date; to: Date }): WeightedTimeRange<ExchangeSum>[] {
  return listRolePeriods(home, range).flatMap((part) => {
    if (part.role === 'all') return [];
    const of = computeMeasureWeights(part);
    const imports = { imported: of.gridImport.imported ?? 0 };
    const exports = { exported: of.gridExport.exported ?? 0 };
    const sum = (measure: 'imported' | 'exported', ...weights: MeasureWeights[]) =>
      weights.reduce((total, one) => total + (one[measure] ?? 0), 0);
    return {
      key: 'device_id' as const,
      id: part.who,
      fromMs: part.from.getTime(),
      toMs: part.to.getTime(),
      weights: {
        imported: imports,
        estimated: { estimated: imports.imported },
        exported: exports,
        exportedAlone: of.gridExportAlone,
        production: of.production,
        productionMs: of.productionMs,
        charged: of.charged,
        balance: of.balance,
        knownMs: {
          importMs: sum('imported', imports, of.production, of.charged),
          exportMs: sum('exported', exports, of.production, of.discharged),
        },
      },
    };
  });
}

/** Returns the time for which data of grid, production and storage channels are expected. Without a grid meter, none are. */
const exchangedChannels: ExpectedChannelMsFunction = (device, { roles, isGridThere }, fromMs, toMs) => {
  const { imports, exports } = sumExpectedCoverageMs(device.counted, fromMs, toMs);
  if (!isGridThere) return 0;
  switch (roles.get(device.deviceId)) {
    case 'grid':
    case 'storage':
      return imports + exports;
    case 'production':
      return device.producesExport ? exports : imports;
    default:
      return 0;
  }
};
