import type { AggregatedQuantity } from '#src/database/meter.ts';

/** The role of a series: the totals to which its energy contributes. */
export interface SeriesRoles {
  import: boolean;
  export: boolean;
  /** The meter for which the energy is also reported separately. Null if it is only part of the device's electricity. */
  meter: AggregatedQuantity | null;
  /**
   * Whether the series is a tariff register. In each circuit (measured part of the home) and direction, only one tariff is in force at a
   * time.
   */
  isTariff?: boolean;
}

export const NO_SERIES_ROLES: SeriesRoles = { import: false, export: false, meter: null };

export const areSeriesRolesEqual = (one: SeriesRoles, other: SeriesRoles): boolean =>
  one.import === other.import &&
  one.export === other.export &&
  one.meter === other.meter &&
  !one.isTariff === !other.isTariff;

export interface SeriesRolesUntilTime {
  readonly roles: SeriesRoles;
  readonly untilMs: number;
}

/**
 * The role of a series by time: which totals its energy contributes to. The role changes if a better series appears, or while a changed
 * role is being applied to the past.
 */
export interface SeriesRolesByTime {
  readonly roles: SeriesRoles;
  readonly earlierRoles?: readonly SeriesRolesUntilTime[];
}

/** Returns a function that finds the role at a time (Unix ms). */
export function createSeriesRolesLookup({ roles, earlierRoles }: SeriesRolesByTime): (ms: number) => SeriesRoles {
  if (!earlierRoles) return () => roles;
  return (ms) => earlierRoles.find(({ untilMs }) => ms < untilMs)?.roles ?? roles;
}

export const hasMatchingSeriesRole = (
  { roles, earlierRoles }: SeriesRolesByTime,
  isMet: (roles: SeriesRoles) => boolean | undefined,
): boolean => isMet(roles) === true || earlierRoles?.some((one) => isMet(one.roles)) === true;

const isCounted = ({ roles }: { roles: SeriesRoles }): boolean => roles.import || roles.export;

/**
 * Returns the Unix time in ms after which the series contributes to no total. Infinity if its latest role contributes; -Infinity if no role
 * does.
 */
export function getContributionEndMs(of: SeriesRolesByTime): number {
  if (isCounted(of)) return Number.POSITIVE_INFINITY;
  return of.earlierRoles?.findLast(isCounted)?.untilMs ?? Number.NEGATIVE_INFINITY;
}

export const hasContributingSeriesRole = (of: SeriesRolesByTime): boolean =>
  getContributionEndMs(of) > Number.NEGATIVE_INFINITY;

/** Returns the time range that contains all differences between the roles of a series and its target roles. Null if there are none. */
export function findRangeOfSeriesRoleDifference(
  of: SeriesRolesByTime,
  target: SeriesRolesByTime,
): { fromMs: number; toMs: number } | null {
  const [isNow, isToBe] = [createSeriesRolesLookup(of), createSeriesRolesLookup(target)];
  const starts = [
    Number.NEGATIVE_INFINITY,
    ...[...(of.earlierRoles ?? []), ...(target.earlierRoles ?? [])].map(({ untilMs }) => untilMs).sort((a, b) => a - b),
  ];
  const isOther = (ms: number) => !areSeriesRolesEqual(isNow(ms), isToBe(ms));
  const last = starts.findLastIndex(isOther);
  if (last === -1) return null;
  return { fromMs: starts.find(isOther) as number, toMs: starts[last + 1] ?? Number.POSITIVE_INFINITY };
}

/** Returns the roles of a series if `target` applies before `untilMs` (Unix ms) and the present roles apply later. */
export function applySeriesRolesUntil(
  of: SeriesRolesByTime,
  target: SeriesRolesByTime,
  untilMs: number,
): SeriesRolesByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return of;
  return createSeriesRolesByTime([
    ...listSeriesRoleSpans(target).map((span) => ({ ...span, untilMs: Math.min(span.untilMs, untilMs) })),
    ...listSeriesRoleSpans(of).filter((span) => span.untilMs > untilMs),
  ]);
}

/** Builds roles from time spans in order of their ends. The last span ends at Infinity. */
export function createSeriesRolesByTime(spans: readonly SeriesRolesUntilTime[]): SeriesRolesByTime {
  const lasting = spans.filter(
    ({ untilMs }, index) => untilMs > (spans[index - 1]?.untilMs ?? Number.NEGATIVE_INFINITY),
  );
  const apart = lasting.filter((span, index) => {
    const next = lasting[index + 1];
    return !next || !areSeriesRolesEqual(span.roles, next.roles);
  });
  const { roles } = apart.at(-1) as SeriesRolesUntilTime;
  return apart.length === 1 ? { roles } : { roles, earlierRoles: apart.slice(0, -1) };
}

/** Returns the roles as time spans. The last span ends at Infinity. */
export const listSeriesRoleSpans = ({ roles, earlierRoles = [] }: SeriesRolesByTime): SeriesRolesUntilTime[] => [
  ...earlierRoles,
  { roles, untilMs: Number.POSITIVE_INFINITY },
];
