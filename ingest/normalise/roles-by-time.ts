import { haveSameRoles, type Roles } from './channels.ts';

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

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** The time of which a series counts as something else than it is to: from `fromMs` on and before `toMs`; null: none. */
export function countedOtherwise(of: RolesByTime, roles: Roles): { fromMs: number; toMs: number } | null {
  if (!of.earlierRoles) return haveSameRoles(of.roles, roles) ? null : ALWAYS;
  const spans = spansOf(of);
  const isOther = (span: EarlierRoles) => !haveSameRoles(span.roles, roles);
  const [first, last] = [spans.findIndex(isOther), spans.findLast(isOther)];
  return last ? { fromMs: spans[first - 1]?.untilMs ?? Number.NEGATIVE_INFINITY, toMs: last.untilMs } : null;
}

/** What a series counts as once it is so with `roles` before a time, Unix ms. */
export function rolesUpTo(of: RolesByTime, roles: Roles, untilMs: number): RolesByTime {
  if (untilMs === Number.NEGATIVE_INFINITY) return of;
  const spans = [{ roles, untilMs }, ...spansOf(of).filter((span) => span.untilMs > untilMs)];
  const apart = spans.filter((span, index) => {
    const next = spans[index + 1];
    return !next || !haveSameRoles(span.roles, next.roles);
  });
  const latest = apart.at(-1) as EarlierRoles;
  return apart.length === 1 ? { roles: latest.roles } : { roles: latest.roles, earlierRoles: apart.slice(0, -1) };
}

/** The last one has no end: Infinity. */
export const spansOf = ({ roles, earlierRoles = [] }: RolesByTime): EarlierRoles[] => [
  ...earlierRoles,
  { roles, untilMs: Number.POSITIVE_INFINITY },
];
