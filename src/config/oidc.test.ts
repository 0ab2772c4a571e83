import { describe, expect, test } from 'vitest';
import { loadConfig, readEffectiveVariables } from './load.ts';

const REQUIRED_VARIABLES = {
  OIDC_ISSUER: 'https://login.example.com/realms/staff',
  OIDC_CLIENT_ID: 'energy',
  OIDC_CLIENT_SECRET: 'hunter2',
};
const errorOf = (more: Record<string, string | undefined>) => {
  try {
    loadConfig({ ...REQUIRED_VARIABLES, ...more });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('an OpenID Connect provider', () => {
  test('is not configured by default, and needs three settings', () => {
    expect(loadConfig({}).oidc).toBeUndefined();
    expect(loadConfig(REQUIRED_VARIABLES).oidc).toEqual({
      issuer: REQUIRED_VARIABLES.OIDC_ISSUER,
      clientId: 'energy',
      clientSecret: 'hunter2',
      scopes: 'openid email',
      label: 'login.example.com',
      roles: undefined,
      verifiedClaim: 'email_verified',
      createsAccounts: false,
      emailDomains: undefined,
      caFile: undefined,
    });
  });

  test.each<[Record<string, string | undefined>, string]>([
    [{ OIDC_ISSUER: 'http://login.example.com' }, 'OIDC_ISSUER: must be a URL that begins with https://'],
    [{ OIDC_ISSUER: 'https://login.example.com/?x' }, 'OIDC_ISSUER: must equal the issuer in the provider'],
    [{ OIDC_ISSUER: 'https://user:password@login.example.com/' }, 'OIDC_ISSUER: must equal the issuer in the provider'],
    [{ OIDC_ISSUER: undefined }, 'OIDC_ISSUER: is needed with OIDC_CLIENT_ID'],
    [{ OIDC_CLIENT_ID: undefined }, 'OIDC_CLIENT_ID: is needed with OIDC_ISSUER'],
    [{ OIDC_CLIENT_SECRET: '' }, 'OIDC_CLIENT_SECRET: is needed with OIDC_ISSUER'],
    [{ OIDC_SCOPES: 'email' }, 'OIDC_SCOPES: must be scopes separated by blanks, including openid'],
    [{ OIDC_ROLE_CLAIM: 'groups' }, 'OIDC_ROLE_CLAIM and OIDC_ROLES: set both or neither'],
    [{ OIDC_ROLES: '{"a":"admin"}' }, 'OIDC_ROLE_CLAIM and OIDC_ROLES: set both or neither'],
    [{ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: '{a:1}' }, 'OIDC_ROLES: is not JSON'],
    [{ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: '["admin"]' }, 'OIDC_ROLES: must be an object such as'],
    [{ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: '{"staff":"root"}' }, 'OIDC_ROLES.staff: '],
    [{ OIDC_CREATE_ACCOUNTS: 'yes' }, 'OIDC_CREATE_ACCOUNTS: '],
    [{ OIDC_CREATE_ACCOUNTS: 'true' }, 'OIDC_EMAIL_DOMAINS: is needed with OIDC_CREATE_ACCOUNTS=true'],
    [{ OIDC_EMAIL_DOMAINS: 'https://example.com' }, 'OIDC_EMAIL_DOMAINS.0: must be domains'],
    [{ OIDC_EMAIL_DOMAINS: ',' }, 'OIDC_EMAIL_DOMAINS: '],
  ])('with the settings %j is rejected in one line', (more, expected) => {
    const message = errorOf(more);
    expect(message).toContain(expected);
    expect(message?.split('\n')).toHaveLength(1);
  });

  test('accepts domains in upper or lower case, and * for all domains', () => {
    const domains = (text: string) =>
      loadConfig({ ...REQUIRED_VARIABLES, OIDC_CREATE_ACCOUNTS: 'true', OIDC_EMAIL_DOMAINS: text }).oidc?.emailDomains;
    expect(domains('Example.com, example.org')).toEqual(['example.com', 'example.org']);
    expect(domains('*')).toBeUndefined();
  });

  test('is printed by energy config without its secret', () => {
    const shown = readEffectiveVariables({
      ...REQUIRED_VARIABLES,
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLES: '{"a":"admin"}',
    });
    expect(shown).toMatchObject({
      OIDC_ISSUER: REQUIRED_VARIABLES.OIDC_ISSUER,
      OIDC_CLIENT_SECRET: '(set)',
      OIDC_ROLES: { a: 'admin' },
    });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });
});
