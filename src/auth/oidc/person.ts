import { z } from 'zod';
import type { OidcConfig } from '#src/config/oidc.ts';

/** A person as identified by an identity provider. */
export interface IdentifiedPerson {
  issuer: string;
  subject: string;
  /** Verified e-mail address, which contains only ASCII characters. Null if the provider sent no such address or has not verified it. */
  verifiedEmail: string | null;
  /** Role that the role mapping gives this person; null if no role mapping is configured. */
  role: Role | null;
}

type Role = 'homeowner' | 'utility' | 'admin';
type Claims = Readonly<Record<string, unknown>>;

/** Reason for refusing a person whom the provider has identified. */
type AdmissionRefusalReason = 'unusable' | 'domain' | 'roles';

/** Roles from the lowest to the highest. A person in several groups gets the highest role of these groups. */
const BY_POWER: readonly Role[] = ['homeowner', 'utility', 'admin'];

/**
 * Returns the person whom an identity provider's claims describe, or the reason for refusing the person. If a role mapping is configured, a
 * person whose groups are all missing from the mapping becomes a homeowner, so that unknown groups never grant a higher role.
 */
export function parseIdentifiedPerson(
  claims: Claims,
  {
    issuer,
    roles,
    verifiedClaim,
    emailDomains,
  }: Pick<OidcConfig, 'issuer' | 'roles' | 'verifiedClaim' | 'emailDomains'>,
): IdentifiedPerson | AdmissionRefusalReason {
  // The subject has at most 255 ASCII characters (OpenID Connect Core 1.0, 2).
  const { sub } = claims;
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return 'unusable';
  const verifiedEmail = isYes(claims[verifiedClaim]) ? emailOf(claims) : null;
  const domain = verifiedEmail?.split('@').pop()?.toLowerCase() ?? '';
  if (emailDomains && !emailDomains.includes(domain)) return 'domain';
  if (!roles) return { issuer, subject: sub, verifiedEmail, role: null };
  const claimed = findClaimByPath(claims, roles.claim);
  if (claimed === undefined && isElsewhere(claims, roles.claim)) return 'roles';
  const values = (Array.isArray(claimed) ? claimed : [claimed]).filter((one) => typeof one === 'string');
  const mapped = values.map((value) => (Object.hasOwn(roles.of, value) ? roles.of[value] : undefined));
  const role = BY_POWER.findLast((one) => mapped.includes(one)) ?? 'homeowner';
  return { issuer, subject: sub, verifiedEmail, role };
}

/** Returns the claim with this name or path, such as `realm_access.roles`, or undefined. */
export function findClaimByPath(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

/**
 * Returns the e-mail address if it is pure ASCII; otherwise null. Conversion to lower case could turn other letters into an ASCII
 * address that the provider has not verified.
 */
function emailOf({ email }: Claims): string | null {
  const parsed = z.email().max(254).safeParse(email);
  return parsed.success && /^[\x21-\x7e]+$/.test(parsed.data) ? parsed.data : null;
}

/** Whether a claim is true. Some providers send booleans as text or numbers. */
const isYes = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

/**
 * Whether the claim exists but is missing from the token because the provider delivers it separately (OpenID Connect Core 1.0,
 * 5.6.2). Entra ID does so for a person in many groups. Such a person must not be treated like a person without groups.
 */
function isElsewhere(claims: Claims, claim: string): boolean {
  const names = claims._claim_names;
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
  return isNamed || (claim === 'groups' && isYes(claims.hasgroups));
}
