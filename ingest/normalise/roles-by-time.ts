import type { Meter } from '#src/database/meter.ts';

/** What a series counts as. */
export interface Roles {
  import: boolean;
  export: boolean;
  /** What it is told apart as; null: it is of its device's electricity, and of nothing else. */
  meter: Meter | null;
  /** It is the register of a tariff, and counts: of those of its circuit and direction one runs at a time (tariffs.ts). */
  isTariff?: boolean;
}

export const NO_ROLES: Roles = { import: false, export: false, meter: null };

export const haveSameRoles = (one: Roles, other: Roles): boolean =>
  one.import === other.import &&
  one.export === other.export &&
  one.meter === other.meter &&
  !one.isTariff === !other.isTariff;

/** Roles that held before a time, Unix ms. */
export interface EarlierRoles {
  readonly roles: Roles;
  readonly untilMs: number;
}

/**
 * What a series counts as, by time: an interval counts by the role at its end. So it is while a changed role is worked into the past of a
 * device, piece by piece.
 */
export interface RolesByTime {
  readonly roles: Roles;
  /** Those before, in order of time, each up to its end. Left out: it has always been the same. */
  readonly earlierRoles?: readonly EarlierRoles[];
}

/** The roles of a time, Unix ms. */
export function rolesAt({ roles, earlierRoles }: RolesByTime): (ms: number) => Roles {
  if (!earlierRoles) return () => roles;
  return (ms) => earlierRoles.find(({ untilMs }) => ms < untilMs)?.roles ?? roles;
}

/** Whether one of the roles that it has at some time is so. */
export const hasRole = ({ roles, earlierRoles }: RolesByTime, isSo: (roles: Roles) => boolean | undefined): boolean =>
  isSo(roles) === true || earlierRoles?.some((one) => isSo(one.roles)) === true;

const isCounted = ({ roles }: { roles: Roles }): boolean => roles.import || roles.export;

/** Up to when something of it counts, Unix ms: Infinity where its latest role does, -Infinity where none does. */
export function countsUntilMs(of: RolesByTime): number {
  if (isCounted(of)) return Number.POSITIVE_INFINITY;
  return of.earlierRoles?.findLast(isCounted)?.untilMs ?? Number.NEGATIVE_INFINITY;
}

/** Whether anything of it counts, at some time. */
export const counts = (of: RolesByTime): boolean => countsUntilMs(of) > Number.NEGATIVE_INFINITY;

/** The time of which a series counts as something else than it is to: from `fromMs` on and before `toMs`; null: none. */
export function countedOtherwise(of: RolesByTime, target: RolesByTime): { fromMs: number; toMs: number } | null {
  const [isNow, isToBe] = [rolesAt(of), rolesAt(target)];
  const starts = [
    Number.NEGATIVE_INFINITY,
    ...[...(of.earlierRoles ?? []), ...(target.earlierRoles ?? [])].map(({ untilMs }) => untilMs).sort((a, b) => a - b),
  ];
  const isOther = (ms: number) => !haveSameRoles(isNow(ms), isToBe(ms));
  const last = starts.findLastIndex(isOther);
  if (last === -1) return null;
  return { fromMs: starts.find(isOther) as number, toMs: starts[last + 1] ?? Number.POSITIVE_INFINITY };
}

/** What a series counts as once it is so as `target` says before a time, Unix ms. */
export function rolesUpTo(of: RolesByTime, target: RolesByTime, untilMs: number): RolesByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return of;
  return rolesOfSpans([
    ...spansOf(target).map((span) => ({ ...span, untilMs: Math.min(span.untilMs, untilMs) })),
    ...spansOf(of).filter((span) => span.untilMs > untilMs),
  ]);
}

/** What a series counts as, by spans in order of their ends, of which the last has none: Infinity. */
export function rolesOfSpans(spans: readonly EarlierRoles[]): RolesByTime {
  const lasting = spans.filter(
    ({ untilMs }, index) => untilMs > (spans[index - 1]?.untilMs ?? Number.NEGATIVE_INFINITY),
  );
  const apart = lasting.filter((span, index) => {
    const next = lasting[index + 1];
    return !next || !haveSameRoles(span.roles, next.roles);
  });
  const { roles } = apart.at(-1) as EarlierRoles;
  return apart.length === 1 ? { roles } : { roles, earlierRoles: apart.slice(0, -1) };
}

/** The last one has no end: Infinity. */
export const spansOf = ({ roles, earlierRoles = [] }: RolesByTime): EarlierRoles[] => [
  ...earlierRoles,
  { roles, untilMs: Number.POSITIVE_INFINITY },
];
