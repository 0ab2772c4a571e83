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

export const areRolesEqual = (one: SeriesRoles, other: SeriesRoles): boolean =>
  one.import === other.import &&
  one.export === other.export &&
  one.meter === other.meter &&
  !one.isTariff === !other.isTariff;

export interface RolesUntilTime {
  readonly roles: SeriesRoles;
  readonly untilMs: number;
}

/**
 * The role of a series by time: which totals its energy contributes to. The role changes if a better series appears, or while a changed
 * role is being applied to the past.
 */
export interface RolesByTime {
  readonly roles: SeriesRoles;
  readonly earlierRoles?: readonly RolesUntilTime[];
}

/** Returns a function that finds the role at a time (Unix ms). */
export function createRolesLookup({ roles, earlierRoles }: RolesByTime): (ms: number) => SeriesRoles {
  if (!earlierRoles) return () => roles;
  return (ms) => earlierRoles.find(({ untilMs }) => ms < untilMs)?.roles ?? roles;
}

export const hasMatchingRole = (
  { roles, earlierRoles }: RolesByTime,
  isMet: (roles: SeriesRoles) => boolean | undefined,
): boolean => isMet(roles) === true || earlierRoles?.some((one) => isMet(one.roles)) === true;

const isCounted = ({ roles }: { roles: SeriesRoles }): boolean => roles.import || roles.export;

/**
 * Returns the Unix time in ms after which the series contributes to no total. Infinity if its latest role contributes; -Infinity if no role
 * does.
 */
export function getContributionEndMs(of: RolesByTime): number {
  if (isCounted(of)) return Number.POSITIVE_INFINITY;
  return of.earlierRoles?.findLast(isCounted)?.untilMs ?? Number.NEGATIVE_INFINITY;
}

export const hasContributingRole = (of: RolesByTime): boolean => getContributionEndMs(of) > Number.NEGATIVE_INFINITY;

/** Returns the time range that contains all differences between the roles of a series and its target roles. Null if there are none. */
export function findRoleDifferenceRange(of: RolesByTime, target: RolesByTime): { fromMs: number; toMs: number } | null {
  const [isNow, isToBe] = [createRolesLookup(of), createRolesLookup(target)];
  const starts = [
    Number.NEGATIVE_INFINITY,
    ...[...(of.earlierRoles ?? []), ...(target.earlierRoles ?? [])].map(({ untilMs }) => untilMs).sort((a, b) => a - b),
  ];
  const isOther = (ms: number) => !areRolesEqual(isNow(ms), isToBe(ms));
  const last = starts.findLastIndex(isOther);
  if (last === -1) return null;
  return { fromMs: starts.find(isOther) as number, toMs: starts[last + 1] ?? Number.POSITIVE_INFINITY };
}

/** Returns the roles of a series if `target` applies before `untilMs` (Unix ms) and the present roles apply later. */
export function applyRolesUntil(of: RolesByTime, target: RolesByTime, untilMs: number): RolesByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return of;
  return createRolesByTime([
    ...listRoleSpans(target).map((span) => ({ ...span, untilMs: Math.min(span.untilMs, untilMs) })),
    ...listRoleSpans(of).filter((span) => span.untilMs > untilMs),
  ]);
}

/** Builds roles from time spans in order of their ends. The last span ends at Infinity. */
export function createRolesByTime(spans: readonly RolesUntilTime[]): RolesByTime {
  const lasting = spans.filter(
    ({ untilMs }, index) => untilMs > (spans[index - 1]?.untilMs ?? Number.NEGATIVE_INFINITY),
  );
  const apart = lasting.filter((span, index) => {
    const next = lasting[index + 1];
    return !next || !areRolesEqual(span.roles, next.roles);
  });
  const { roles } = apart.at(-1) as RolesUntilTime;
  return apart.length === 1 ? { roles } : { roles, earlierRoles: apart.slice(0, -1) };
}

/** Returns the roles as time spans. The last span ends at Infinity. */
export const listRoleSpans = ({ roles, earlierRoles = [] }: RolesByTime): RolesUntilTime[] => [
  ...earlierRoles,
  { roles, untilMs: Number.POSITIVE_INFINITY },
];
