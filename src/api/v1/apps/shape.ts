import { z } from 'zod';
import { createBoundedArraySchema, httpsUrlField, textField } from '#src/api/fields.ts';
import { createdAtSchema, pickMembers } from '#src/api/shapes.ts';
import type { App } from '#src/auth/apps.ts';
import { APP_SCOPE_NAMES } from '#src/auth/scopes.ts';
import { APP_TYPES } from '#src/database/enums.ts';
import { created_at, type Examples, user_id } from '../example-ids.ts';

/** Matches a redirect URI of a program on the person's own machine: HTTP and a loopback host (RFC 8252, 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(\/[\x21-\x7e]*)?$/;
const isLoopback = (text: string) => LOOPBACK.test(text) && URL.canParse(text);
const isHttps = (text: string) => httpsUrlField.safeParse(text).success;

const redirectUri = z
  .string()
  .max(2_048)
  .refine(
    (text) => (isHttps(text) || isLoopback(text)) && !text.includes('#'),
    'must be an https:// URL, or http:// with a loopback address, in ASCII, without fragment, credentials and blanks',
  )
  .meta({ format: 'uri' });

const settings = {
  name: textField(80)
    .refine((text) => /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text) && text.trim() === text, 'must be one line of visible text')
    .describe('Name of the app, as the consent page shows it.'),
  website: httpsUrlField.describe('HTTPS address of a page about the app.'),
  redirect_uris: createBoundedArraySchema(redirectUri, 1, 10).describe(
    'Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address.',
  ),
  notification_url: httpsUrlField.nullable().describe('HTTPS address for notifications of changed data. Null: none.'),
  scopes: createBoundedArraySchema(z.enum(APP_SCOPE_NAMES), 1, APP_SCOPE_NAMES.length).describe(
    'Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens.',
  ),
};

const type = z
  .enum(APP_TYPES)
  .describe(
    '`confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret.',
  );

export const newAppSchema = z
  .strictObject({ ...settings, type, notification_url: settings.notification_url.optional() })
  .superRefine((app, context) => {
    const message = INVALID_REDIRECT_MESSAGE;
    if (Array.isArray(app.redirect_uris) && !areRedirectsAllowed(app.type, app.redirect_uris))
      context.addIssue({ code: 'custom', path: ['redirect_uris'], message });
  });
export const appPatchSchema = z.strictObject(settings).partial();

export const INVALID_REDIRECT_MESSAGE =
  'must be https:// URLs; only a public app may use a loopback address, with http://';

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Whether an app of this type may have these redirect URIs. Only loopback hosts may use HTTP, because they cannot have a
 * certificate.
 */
export const areRedirectsAllowed = (of: App['type'], uris: readonly string[]): boolean =>
  of === 'public'
    ? uris.every((uri) => !isHttps(uri) || !LOOPBACK_HOSTS.includes(new URL(uri).hostname))
    : uris.every(isHttps);

export const appSchema = z
  .strictObject({
    ...settings,
    app_id: z.string().describe('Id of the app.'),
    client_id: z.string().describe('OAuth client id of the app, for `/oauth/authorize` and `/oauth/token`.'),
    user_id: z.string().describe('Id of the account that registered the app.'),
    type,
    created_at: createdAtSchema,
  })
  .meta({ id: 'App' });

export const createdAppSchema = appSchema
  .extend({
    client_secret: z.string().optional().describe('OAuth client secret, shown only once. Absent for a public app.'),
  })
  .meta({ id: 'CreatedApp' });

export const appToResponse = (row: App): z.output<typeof appSchema> => ({
  ...pickMembers(appSchema, row),
  client_id: row.app_id,
  scopes: APP_SCOPE_NAMES.filter((scope) => row.scopes.includes(scope)),
});

const registered = {
  name: 'Bright Home',
  website: 'https://bright.example.com',
  type: 'confidential',
  redirect_uris: ['https://bright.example.com/callback'],
  notification_url: null,
  scopes: ['insights:read', 'devices:read'],
};
const app_id = 'app_01k8xqe3m5w9c1f7hx0jb4n6rz';
const exampleApp = { ...registered, app_id, client_id: app_id, user_id, created_at };

export const APP_EXAMPLES = {
  createApp: {
    body: registered,
    answer: { ...exampleApp, client_secret: 'eus_cs_4kJ2mZ8qT6wXbN1cR5vY7pL3sD9fG0hAeUiO2nWk4B' },
  },
  listApps: { answer: [exampleApp] },
  getApp: { answer: exampleApp },
  updateApp: { body: { scopes: ['insights:read'] }, answer: { ...exampleApp, scopes: ['insights:read'] } },
  deleteApp: { answer: { message: `App ${app_id} was deleted` } },
} satisfies Examples;
