import { afterAll, beforeAll } from 'vitest';
import { SCOPES } from '#src/auth/scopes.ts';
import { startTestApi, type TestApi } from './api.ts';
import { createAppConsentRequest, registerApp, requestAsBrowser, type TestOAuthApp } from './apps.ts';
import type { Person } from './members.ts';

/** An authorization server with an app of a utility, for tests of attacks. */
export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };
export let api: TestApi;
export let utility: Person;
export let app: TestOAuthApp;

/** Registers hooks that start and stop the server. */
export function setUpAttackedServer(): void {
  beforeAll(async () => {
    api = await startTestApi();
    api.now = new Date();
    utility = await api.user('utility');
    app = await registerApp(api, utility);
  });
  afterAll(() => api.close());
}

export const createHomeowner = () => api.user('homeowner', { scopes: [...SCOPES] });
export const requestInsights = (key: string, query = '') => api.send(`/v1/energy-insights${query}`, { key });
export const listAuthorizations = async (who: Person) => (await api.send('/v1/authorizations', { key: who.key })).json;
export const pauseForMs = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));
export const requestAuthorization = async (more: Record<string, string> = {}, of = app) =>
  requestAsBrowser(api, new Map(), (await createAppConsentRequest(of, more)).url.href);
/** Sends a form to the token endpoint, with the app's secret unless `headers` contains other credentials. */
export const requestToken = (
  form: Record<string, string>,
  headers: object = { authorization: createBasicAuthorization(app) },
  at = api,
) =>
  at.send('/oauth/token', {
    method: 'POST',
    raw: new URLSearchParams(form).toString(),
    headers: { ...FORM_HEADERS, ...headers },
  });
export const createBasicAuthorization = ({ appId, secret }: TestOAuthApp) => `Basic ${btoa(`${appId}:${secret}`)}`;
export const getAuthorizationCode = (back: URL) => back.searchParams.get('code') ?? '';
export const INVALID_GRANT_BODY = { error: 'invalid_grant' };
