import { z } from 'zod';
import type { OidcConfig } from '#src/config/oidc.ts';

/** Who somebody is by the word of a provider. */
export interface Person {
  issuer: string;
  subject: string;
  /** Null where the provider told none, or has not checked it. In ASCII. */
  verifiedEmail: string | null;
  /** By the mapping; null where there is no mapping. */
  role: Role | null;
}

type Role = 'homeowner' | 'utility' | 'admin';
type Claims = Readonly<Record<string, unknown>>;

/** Why somebody does not get in, though the provider says who it is. */
export type NotLetIn = 'unusable' | 'domain' | 'roles';

/** From the least on: who has several groups has the highest of their roles. */
const BY_POWER: readonly Role[] = ['homeowner', 'utility', 'admin'];

/**
 * Who claims are about, or why that one does not get in. Where roles are mapped, whoever has no mapped value is a homeowner: nobody keeps
 * or gets more by a value that is not in the mapping, nor by one that was taken away. Pure.
 */
export function personOf(
  claims: Claims,
  {
    issuer,
    roles,
    verifiedClaim,
    emailDomains,
  }: Pick<OidcConfig, 'issuer' | 'roles' | 'verifiedClaim' | 'emailDomains'>,
): Person | NotLetIn {
  // OpenID Connect Core 1.0, 2: at most 255 ASCII characters.
  const { sub } = claims;
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return 'unusable';
  const verifiedEmail = isYes(claims[verifiedClaim]) ? emailOf(claims) : null;
  const domain = verifiedEmail?.split('@').pop()?.toLowerCase() ?? '';
  if (emailDomains && !emailDomains.includes(domain)) return 'domain';
  if (!roles) return { issuer, subject: sub, verifiedEmail, role: null };
  const told = claimAt(claims, roles.claim);
  if (told === undefined && isElsewhere(claims, roles.claim)) return 'roles';
  const values = (Array.isArray(told) ? told : [told]).filter((one) => typeof one === 'string');
  const mapped = values.map((value) => (Object.hasOwn(roles.of, value) ? roles.of[value] : undefined));
  const role = BY_POWER.findLast((one) => mapped.includes(one)) ?? 'homeowner';
  return { issuer, subject: sub, verifiedEmail, role };
}

/** A claim by its name, or by the names on the way to it (`realm_access.roles`). Undefined where there is none. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

/**
 * ASCII alone: letters of other scripts become others when an address is compared in lower case, and the provider checked the one that
 * it was given.
 */
function emailOf({ email }: Claims): string | null {
  const parsed = z.email().max(254).safeParse(email);
  return parsed.success && /^[\x21-\x7e]+$/.test(parsed.data) ? parsed.data : null;
}

/** As booleans come from providers: some write them as text or number. */
const isYes = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

/**
 * Whether the provider says that it would tell of the claim elsewhere (OpenID Connect Core 1.0, 5.6.2): Entra ID does so with groups that
 * are too many for a token. Who has no groups is another matter.
 */
function isElsewhere(claims: Claims, claim: string): boolean {
  const names = claims._claim_names;
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
  return isNamed || (claim === 'groups' && isYes(claims.hasgroups));
}
