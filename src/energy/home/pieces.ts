import { type RawBuilder, sql } from 'kysely';
import { COLUMN } from '#src/rollups/levels.ts';
import { piecesOfEach } from '#src/rollups/parts.ts';
import { pieceMinutes, type Range } from '../ranges.ts';
import type { Home } from './home.ts';
import type { HomeRole } from './roles.ts';
import { HOME_SUMS, type HomeSum, sumColumn } from './sums.ts';

const HOUR_MS = 3_600_000;
/** Where roles change more often amid hours, all of the range is read by the quarter-hour. */
const MOST_CUTS = 20;
const READ = [
  COLUMN.energyMilliwattHours,
  COLUMN.exportMilliwattHours,
  COLUMN.estimatedMilliwattHours,
  COLUMN.coveredMs,
  COLUMN.exportCoveredMs,
];

/** What a device, or all of them, is to its home for a while: a row that its pieces are joined with. */
interface Part {
  /** A device, or the user: all of its devices. */
  who: string;
  from: Date;
  to: Date;
  role: HomeRole | 'all';
  isGridThere: boolean;
  hasSources: boolean;
  producesExport: boolean;
  /**
   * How often its import is part of consumption: once, or minus once where it is in that of all devices and is none. So plugs need not be
   * read one by one: what they used is what all devices imported without those that are something else.
   */
  consumes: -1 | 0 | 1;
}

/** What each sum is made of: of a piece `p` in the role of `f`. */
const EXPRESSIONS: Record<HomeSum, { of: string; where?: string }> = (() => {
  const [imported, exported, estimated] = [
    COLUMN.energyMilliwattHours,
    COLUMN.exportMilliwattHours,
    COLUMN.estimatedMilliwattHours,
  ];
  const [ms, exportMs] = [COLUMN.coveredMs, COLUMN.exportCoveredMs];
  const is = (role: HomeRole) => `f.role = '${role}'`;
  const produced = `CASE WHEN f.produces_export THEN p.${exported} ELSE p.${imported} END`;
  const producedMs = `CASE WHEN f.produces_export THEN p.${exportMs} ELSE p.${ms} END`;
  return {
    gridImport: { of: `p.${imported}`, where: is('grid') },
    gridExport: { of: `p.${exported}`, where: is('grid') },
    gridExportAlone: { of: `p.${exported}`, where: `${is('grid')} AND NOT f.has_sources` },
    production: { of: produced, where: is('production') },
    productionBeside: { of: produced, where: `${is('production')} AND f.is_grid_there` },
    charged: { of: `p.${imported}`, where: is('storage') },
    chargedBeside: { of: `p.${imported}`, where: `${is('storage')} AND f.is_grid_there` },
    discharged: { of: `p.${exported}`, where: is('storage') },
    dischargedBeside: { of: `p.${exported}`, where: `${is('storage')} AND f.is_grid_there` },
    consumption: { of: `f.consumes * p.${imported}` },
    consumptionAlone: { of: `f.consumes * p.${imported}`, where: 'NOT f.is_grid_there' },
    estimated: {
      of: `CASE WHEN f.role IN ('grid', 'storage') AND f.is_grid_there OR ${is('production')} AND f.is_grid_there AND NOT f.produces_export
        THEN p.${estimated} ELSE 0 END + CASE WHEN f.is_grid_there THEN 0 ELSE f.consumes * p.${estimated} END`,
    },
    gridMs: { of: `p.${ms} + p.${exportMs}`, where: is('grid') },
    productionMs: { of: `p.${ms} + p.${exportMs}`, where: is('production') },
    storageMs: { of: `p.${ms} + p.${exportMs}`, where: is('storage') },
    consumptionMs: { of: `f.consumes * p.${ms}` },
    consumptionAloneMs: { of: `f.consumes * p.${ms}`, where: 'NOT f.is_grid_there' },
    countedMs: {
      of: `CASE WHEN f.is_grid_there THEN CASE f.role WHEN 'grid' THEN p.${ms} + CASE WHEN f.has_sources THEN p.${exportMs} ELSE 0 END
        WHEN 'production' THEN ${producedMs} WHEN 'storage' THEN p.${ms} + p.${exportMs} ELSE 0 END ELSE f.consumes * p.${ms} END`,
    },
  };
})();

const summed = HOME_SUMS.map((name) => {
  const { of, where } = EXPRESSIONS[name];
  return `coalesce(sum(${of})${where === undefined ? '' : ` FILTER (WHERE ${where})`}, 0)::bigint AS ${sumColumn(name)}`;
}).join(', ');
const summedAgain = HOME_SUMS.map((name) => `sum(${sumColumn(name)})::bigint AS ${sumColumn(name)}`).join(', ');
export const SUM_COLUMNS = HOME_SUMS.map(sumColumn).join(', ');
/** The sums of rows that have them, in SQL. */
export const SUMMED = sql.raw(summedAgain);

/** Which rows of whom are read in a range, and as what. `all`: also what all devices imported. */
function partsOf(home: Home, { from, to }: { from: Date; to: Date }): Part[] {
  const parts: Part[] = [];
  for (const { fromMs, toMs, isGridThere, hasSources, roles } of home.stretches) {
    const [start, end] = [Math.max(fromMs, from.getTime()), Math.min(toMs, to.getTime())];
    if (start >= end) continue;
    const common = { from: new Date(start), to: new Date(end), isGridThere, hasSources, producesExport: true };
    parts.push({ ...common, who: home.userId, role: 'all', consumes: 1 });
    for (const device of home.special) {
      const role = roles.get(device.deviceId) ?? 'excluded';
      const consumes = role === 'consumption' ? 0 : -1;
      parts.push({ ...common, who: device.deviceId, role, consumes, producesExport: device.producesExport });
    }
  }
  return parts;
}

/** The range, cut so that no piece lies in two stretches of the home. */
function cuts(home: Home, { from, to }: { from: Date; to: Date }, minutes: 15 | 30 | 60) {
  const bounds = home.stretches
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime() && ms % (minutes * 60_000) !== 0);
  const hours = [...new Set(bounds.map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS))].toSorted((a, b) => a - b);
  if (hours.length > MOST_CUTS) return [{ from, to, minutes: 15 as const }];
  const pieces: { from: Date; to: Date; minutes: 15 | 30 | 60 }[] = [];
  let start = from;
  for (const hour of hours) {
    // Where a range begins or ends amid the hour, its own bounds hold.
    const [cutFrom, cutTo] = [
      new Date(Math.max(hour, from.getTime())),
      new Date(Math.min(hour + HOUR_MS, to.getTime())),
    ];
    if (start < cutFrom) pieces.push({ from: start, to: cutFrom, minutes });
    pieces.push({ from: cutFrom, to: cutTo, minutes: 15 });
    start = cutTo;
  }
  if (start < to) pieces.push({ from: start, to, minutes });
  return pieces;
}

/** The sums of a home by pieces of time (`at`) in `[from, to)`, in SQL: columns `at` and those of the sums. */
export function homePieces(home: Home, range: { from: Date; to: Date }, minutes: 15 | 30 | 60): RawBuilder<unknown> {
  const parts = partsOf(home, range);
  const devices = { key: 'device_id', ids: home.special.map(({ deviceId }) => deviceId) } as const;
  const user = { key: 'user_id', ids: [home.userId] } as const;
  const isAllNeeded = home.needsConsumption || !parts.every(({ isGridThere }) => isGridThere);
  const owners = [...(devices.ids.length > 0 ? [devices] : []), ...(isAllNeeded ? [user] : [])];
  const pieces = cuts(home, range, minutes).flatMap((piece) =>
    owners.map((owner) => piecesOfEach(owner, piece, piece.minutes, READ)),
  );
  const column = <Name extends keyof Part>(name: Name) => parts.map((part) => part[name]);
  // Raw SQL: the hot path of every answer about a home.
  return sql`
    SELECT at, ${sql.raw(summed)}
    FROM (${sql.join(pieces, sql` UNION ALL `)}) p
    JOIN unnest(${column('who')}::text[], ${column('from')}::timestamptz[], ${column('to')}::timestamptz[], ${column('role')}::text[],
      ${column('isGridThere')}::boolean[], ${column('hasSources')}::boolean[], ${column('producesExport')}::boolean[], ${column('consumes')}::int[])
      f (who, from_at, to_at, role, is_grid_there, has_sources, produces_export, consumes)
      ON f.who = p.who AND p.at >= f.from_at AND p.at < f.to_at
    GROUP BY at`;
}

/** The sums of a home by clock hour of the range's zone, in SQL: columns `hour` and those of the sums. */
export function homeHours(home: Home, range: Range): RawBuilder<unknown> {
  const minutes = pieceMinutes(range);
  const pieces = homePieces(home, range, minutes);
  if (minutes === 60) {
    return sql`SELECT date_bin('1 hour', at, 'epoch') AS hour, ${SUMMED} FROM (${pieces}) p GROUP BY 1`;
  }
  return sql`SELECT ${hourOf('at', range.zone)} AS hour, ${SUMMED} FROM (${pieces}) p GROUP BY 1`;
}

/** Start of the clock hour of a zone in which a piece begins. Where the clock jumps over it (Lord Howe Island) the hour starts at the jump. */
const hourOf = (at: string, zone: string): RawBuilder<unknown> => {
  const time = sql.ref(at);
  const hour = sql`date_trunc('hour', ${time}, ${zone})`;
  return sql`CASE WHEN date_trunc('hour', ${time} AT TIME ZONE ${zone}) = ${hour} AT TIME ZONE ${zone} THEN ${hour}
    ELSE date_bin('30 minutes', ${time}, 'epoch') END`;
};
