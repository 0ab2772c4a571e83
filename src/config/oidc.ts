import type { Variables } from './sections.ts';

/** Identity provider for signing in to the dashboard by OpenID Connect. */
export type OidcConfig = NonNullable<ReturnType<typeof readOidcConfig>>;

/** Value of OIDC_EMAIL_DOMAINS that permits e-mail addresses of any domain. */
const ANY = '*';

export function readOidcConfig(vars: Variables) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = vars;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { OIDC_ROLE_CLAIM: claim, OIDC_ROLES: of, OIDC_EMAIL_DOMAINS: domains } = vars;
  return {
    issuer,
    clientId,
    clientSecret,
    /** Scopes that a sign-in requests, separated by spaces. */
    scopes: vars.OIDC_SCOPES,
    /** Name of the provider that the sign-in button shows. */
    label: vars.OIDC_LABEL ?? new URL(issuer).host,
    /**
     * Claim that contains a person's groups or roles, and the account role for each value. Undefined: roles are managed in this service.
     */
    roles: claim === undefined || of === undefined ? undefined : { claim, of },
    /** Claim that states whether the e-mail address is verified. */
    verifiedClaim: vars.OIDC_VERIFIED_CLAIM,
    /** Whether the service creates an account for a person who has none. */
    createsAccounts: vars.OIDC_CREATE_ACCOUNTS,
    /** Allowed domains of e-mail addresses, in lower case; undefined: any domain. */
    emailDomains: domains?.includes(ANY) ? undefined : domains,
    caFile: vars.OIDC_CA_FILE,
  };
}

/** Returns errors in the combination of variables, such as an issuer without a client id. */
export function findOidcErrors(vars: Variables): string[] {
  const errors: string[] = [];
  const names = [
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_LABEL',
    'OIDC_ROLE_CLAIM',
    'OIDC_EMAIL_DOMAINS',
  ] as const;
  const [given] = names.filter((name) => vars[name] !== undefined);
  if (vars.OIDC_ISSUER === undefined && given !== undefined) errors.push(`OIDC_ISSUER: is needed with ${given}`);
  if (vars.OIDC_ISSUER !== undefined) {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
      if (vars[name] === undefined) errors.push(`${name}: is needed with OIDC_ISSUER`);
  }
  if ((vars.OIDC_ROLE_CLAIM === undefined) !== (vars.OIDC_ROLES === undefined))
    errors.push('OIDC_ROLE_CLAIM and OIDC_ROLES: set both or neither');
  if (vars.OIDC_CREATE_ACCOUNTS && vars.OIDC_EMAIL_DOMAINS === undefined)
    errors.push(
      'OIDC_EMAIL_DOMAINS: is needed with OIDC_CREATE_ACCOUNTS=true: domains of the addresses that get an account, or * for all',
    );
  return errors;
}
