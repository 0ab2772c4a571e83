import type { AggregatedQuantity } from '#src/database/meter.ts';
import {
  CHANNEL_PART_KINDS,
  type ChannelSetting,
  type EnergyDirection,
  type ParsedChannel,
  resolveChannelMeaning,
} from '#src/devices/channel-name.ts';
import { createSeriesRolesByTime, NO_SERIES_ROLES, type SeriesRoles, type SeriesRolesByTime } from './roles-by-time.ts';

/**
 * Kinds of series in order of preference. The energy of a circuit (measured part of the home) is counted from the first kind that the
 * circuit has.
 */
const QUANTITIES = ['register', 'interval', 'power'] as const;
/**
 * Ranks: the rank of a total register, the rank of a tariff register, and the lowest rank of a power series. Among several series, the one
 * with the lowest rank is counted.
 */
const [TOTAL, TARIFF, POWER] = [0, 1, 2 * CHANNEL_PART_KINDS.length];

const { NEGATIVE_INFINITY: ALWAYS, POSITIVE_INFINITY: NEVER } = Number;

interface Series {
  channel: string;
  kind: string;
  unit?: string | null | undefined;
  word?: ChannelSetting;
  /** Time of the series' first reading, Unix ms. If undefined or null, the series counts as having always existed. */
  firstReadAtMs?: number | null | undefined;
  /** Time of a register's first reading that is not 0, Unix ms. Null: all readings are 0. Undefined: unknown, treated as never 0. */
  nonzeroAtMs?: number | null | undefined;
}

/** A series from which the energy of one direction of a circuit can be counted. The series with the lowest rank is used. */
interface Offer {
  readonly index: number;
  readonly rank: number;
  readonly firstReadAtMs: number;
}

/** The series from which the energy of one direction of a circuit can be counted. */
interface Choice {
  readonly direction: EnergyDirection;
  readonly offers: Offer[];
  /** Time from which the circuit has a register of unknown meaning, Unix ms. Its energy may be the same as that of a power series. */
  readonly askedAtMs: number;
}

/** Whether the unit shows that a quantity is not electricity, for example a unit of volume. */
const isOtherUnit = (unit: string | null | undefined): boolean =>
  typeof unit === 'string' && !/^[kMG]?Wh$/i.test(unit.trim());

/**
 * Chooses which series of a device contribute to which totals, for each time in the past. For each circuit and direction, only one series,
 * or one set of tariffs or phases, is counted, so that no energy is counted twice. A total register precedes tariff registers, and these
 * precede phases. A new series contributes from its first reading on. `series`: all series that the device has ever had. Returns the roles
 * of the series (the totals to which each contributes) in the same order.
 */
export function chooseSeriesRoles(series: readonly Series[]): SeriesRolesByTime[] {
  const channels = series.map((one) => resolveChannelMeaning(one, one.word));
  const choices = choicesOf(series, channels);
  const meters = series.map(({ word }, index): AggregatedQuantity | null => {
    const { commodity, isVolume } = channels[index] as ParsedChannel;
    if (commodity === 'electricity') return word?.placement ?? null;
    return isVolume ? `${commodity}_m3` : commodity;
  });
  const rolesAfter = (ms: number): SeriesRoles[] => {
    const roles = meters.map((meter): SeriesRoles => ({ ...NO_SERIES_ROLES, meter }));
    for (const choice of choices) {
      for (const { index, rank } of bestAfter(choice, ms)) {
        const of = roles[index] as SeriesRoles;
        of[choice.direction] = true;
        if (rank === TARIFF) of.isTariff = true;
      }
    }
    return roles.map((one) => (one.import || one.export ? one : NO_SERIES_ROLES));
  };
  const times = [ALWAYS, ...timesOf(choices)];
  const spans = times.map((ms, index) => ({ roles: rolesAfter(ms), untilMs: (times[index + 1] ?? NEVER) + 1 }));
  return series.map((_, index) =>
    createSeriesRolesByTime(spans.map(({ roles, untilMs }) => ({ roles: roles[index] as SeriesRoles, untilMs }))),
  );
}

function choicesOf(series: readonly Series[], channels: readonly ParsedChannel[]): Choice[] {
  const asked = new Map<string, number>();
  for (const [index, { kind, unit, firstReadAtMs }] of series.entries()) {
    const { known, circuit } = channels[index] as ParsedChannel;
    if (known || kind !== 'register' || isOtherUnit(unit)) continue;
    asked.set(circuit, Math.min(asked.get(circuit) ?? NEVER, firstReadAtMs ?? ALWAYS));
  }
  const choices = new Map<string, Choice>();
  series.forEach((one, index) => {
    const { kind, word } = one;
    const quantity = QUANTITIES.indexOf(kind as (typeof QUANTITIES)[number]);
    const { commodity, isVolume, isIgnored, known, circuit, direction, part } = channels[index] as ParsedChannel;
    const isElectric = commodity === 'electricity';
    if (quantity < 0 || isIgnored || !known || (isElectric && isVolume)) return;
    if (!isElectric && (direction === 'export' || word?.placement === 'excluded')) return;
    const offer = (direction: EnergyDirection, rank: number) => {
      const key = `${direction} ${commodity}${isVolume ? ' m3' : ''} ${circuit}`;
      const choice = choices.get(key) ?? { direction, offers: [], askedAtMs: asked.get(circuit) ?? NEVER };
      choices.set(key, choice);
      choice.offers.push({ index, rank, firstReadAtMs: one.firstReadAtMs ?? ALWAYS });
    };
    const rank = quantity * CHANNEL_PART_KINDS.length + CHANNEL_PART_KINDS.indexOf(part);
    offer(direction, rank);
    if (kind === 'power' && direction === 'import' && isElectric) offer('export', rank + CHANNEL_PART_KINDS.length);
  });
  return [...choices.values()].map((choice) => ({ ...choice, offers: withoutZeroTotals(choice.offers, series) }));
}

/** If a total register is 0 while one of its tariffs or phases is not, the total is ignored until its first reading that is not 0. */
function withoutZeroTotals(offers: readonly Offer[], series: readonly Series[]): Offer[] {
  const nonzeroAtMs = ({ index }: Offer) => {
    const { nonzeroAtMs: ms } = series[index] as Series;
    return ms === undefined ? ALWAYS : (ms ?? NEVER);
  };
  const parts = offers.filter(({ rank }) => rank > TOTAL && rank < CHANNEL_PART_KINDS.length);
  const partsAtMs = Math.min(...parts.map(nonzeroAtMs));
  return offers.flatMap((offer) => {
    const ms = nonzeroAtMs(offer);
    if (offer.rank !== TOTAL || partsAtMs >= ms) return offer;
    return ms === NEVER ? [] : { ...offer, firstReadAtMs: ms };
  });
}

/**
 * Returns the series that supply the energy immediately after a time (Unix ms). Before the first reading of the circuit, these are the
 * series that start first.
 */
function bestAfter({ offers, askedAtMs }: Choice, ms: number): readonly Offer[] {
  const atMs = Math.max(ms, Math.min(...offers.map(({ firstReadAtMs }) => firstReadAtMs)));
  const valid = offers.filter(({ rank }) => rank < POWER || askedAtMs > atMs);
  const best = Math.min(...valid.flatMap(({ rank, firstReadAtMs }) => (firstReadAtMs <= atMs ? rank : [])));
  // The result includes series of the same rank that start later: before their first reading, they add no energy.
  return valid.filter(({ rank }) => rank === best);
}

/** Returns the times (Unix ms, in order) at which another series may become the one that supplies the energy. */
function timesOf(choices: readonly Choice[]): number[] {
  const times = new Set(
    choices.flatMap(({ offers, askedAtMs }) => [askedAtMs, ...offers.map(({ firstReadAtMs }) => firstReadAtMs)]),
  );
  return [...times].filter(Number.isFinite).sort((a, b) => a - b);
}
