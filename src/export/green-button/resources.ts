import {
  createApplicationUrl,
  createSubscriptionUrls,
  DEFAULT_GREEN_BUTTON_SCOPE,
  ESPI_RESOURCE_PATH,
  GREEN_BUTTON_SCOPES,
  parseGreenButtonTerms,
} from '#src/auth/green-button.ts';
import { VERSION } from '#src/core/version.ts';
import {
  createEntryFormatter,
  createNameBasedUuid,
  createUuidUrn,
  escapeXmlText,
  FEED_END,
  formatFeedStart,
  formatPeriodXml,
} from './entry.ts';

/** An app, as the ESPI resource ApplicationInformation describes it to the app itself. */
interface ApplicationInformation {
  id: string;
  clientId: string;
  name: string;
  website: string;
  redirectUris: readonly string[];
  notificationUrl: string | null;
  createdAt: Date;
}

/** An authorization as shown to its app. */
interface AuthorizationInformation {
  id: string;
  /** The scope string that was negotiated with the app; null: the default scope. */
  scope: string | null;
  createdAt: Date;
  /** Time at which the authorization expires. Null if it is valid until it is revoked. */
  expiresAt: Date | null;
}

/** ESPI's codes for an app in production, an active authorization and a service in normal operation. */
const PRODUCTION = 2;
const ACTIVE = 1;
const NORMAL = 1;
/** `expires_at` of an authorization without an expiry: the largest signed 32-bit number. */
const NEVER = 2 ** 31 - 1;

/** Returns the id of a home's usage point for an app. Other apps get other ids. */
export const createUsagePointId = (appId: string, userId: string): string =>
  createNameBasedUuid(Buffer.from(appId.replaceAll('-', ''), 'hex'), `UsagePoint/${userId}`);

/** Formats a feed of entries. `type`: ESPI resource of the entries. */
export async function* streamFeedXml(
  { self, type, now }: { self: string; type: string; now: Date },
  entries: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  const at = now.toISOString();
  yield formatFeedStart({ id: createUuidUrn('', self), title: `Feed of ${type}`, self: { href: self, type }, at });
  yield* entries;
  yield FEED_END;
}

export const formatEntryAsDocument = (entry: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${entry.replace('<entry>', '<entry xmlns="http://www.w3.org/2005/Atom" xmlns:espi="http://naesb.org/espi">')}`;

const element = (name: string, text: string | number): string =>
  `<espi:${name}>${escapeXmlText(String(text))}</espi:${name}>`;

/** Formats the entry of an app. Its secret is empty, because it is shown only once. */
export function formatApplicationEntry(app: ApplicationInformation, publicUrl: string, now: Date): string {
  const content = [
    element('dataCustodianId', new URL(publicUrl).host.slice(0, 64)),
    element('dataCustodianApplicationStatus', PRODUCTION),
    element('authorizationServerUri', publicUrl),
    element('thirdPartyNotifyUri', app.notificationUrl ?? ''),
    element('authorizationServerAuthorizationEndpoint', `${publicUrl}/oauth/authorize`),
    element('authorizationServerTokenEndpoint', `${publicUrl}/oauth/token`),
    element('dataCustodianBulkRequestURI', ''),
    element('dataCustodianResourceEndpoint', `${publicUrl}${ESPI_RESOURCE_PATH}`),
    element('client_secret', ''),
    element('client_name', app.name),
    element('client_uri', app.website),
    ...app.redirectUris.map((uri) => element('redirect_uri', uri)),
    element('client_id', app.clientId),
    element('software_id', app.clientId),
    element('software_version', VERSION),
    element('client_id_issued_at', secondsOf(app.createdAt)),
    // In RFC 7591, 0 stands for a secret that does not expire.
    element('client_secret_expires_at', 0),
    element('token_endpoint_auth_method', 'client_secret_basic'),
    ...GREEN_BUTTON_SCOPES.map((scope) => element('scope', scope)),
    ...['authorization_code', 'client_credentials', 'refresh_token'].map((type) => element('grant_types', type)),
    element('response_types', 'code'),
    element('registration_client_uri', createApplicationUrl(publicUrl, app.id)),
    element('registration_access_token', ''),
  ];
  return createEntryFormatter(app.id, now.toISOString())('Application Information', {
    self: `${ESPI_RESOURCE_PATH}/ApplicationInformation/${app.id}`,
    type: 'ApplicationInformation',
    content: `<espi:ApplicationInformation>${content.join('')}</espi:ApplicationInformation>`,
  });
}

export function formatAuthorizationEntry(
  authorization: AuthorizationInformation,
  publicUrl: string,
  now: Date,
): string {
  const { id, scope, createdAt, expiresAt } = authorization;
  const { historySeconds } = parseGreenButtonTerms(scope);
  const beganMs = secondsOf(createdAt) * 1_000;
  const { resourceURI, authorizationURI } = createSubscriptionUrls(publicUrl, id);
  const content = [
    // A duration of 0 means that the authorization does not expire.
    `<espi:authorizedPeriod>${formatPeriodXml(beganMs, expiresAt ? secondsOf(expiresAt) * 1_000 : beganMs)}</espi:authorizedPeriod>`,
    `<espi:publishedPeriod>${formatPeriodXml(beganMs - historySeconds * 1_000, expiresAt ? secondsOf(expiresAt) * 1_000 : NEVER * 1_000)}</espi:publishedPeriod>`,
    element('status', ACTIVE),
    element('expires_at', expiresAt ? secondsOf(expiresAt) : NEVER),
    element('grant_type', 'authorization_code'),
    element('scope', scope ?? DEFAULT_GREEN_BUTTON_SCOPE),
    element('token_type', 'Bearer'),
    element('resourceURI', resourceURI),
    element('authorizationURI', authorizationURI),
  ];
  return createEntryFormatter(id, now.toISOString())('Authorization', {
    self: `${ESPI_RESOURCE_PATH}/Authorization/${id}`,
    type: 'Authorization',
    related: [['entry', 'Subscription', `${ESPI_RESOURCE_PATH}/Batch/Subscription/${id}`]],
    content: `<espi:Authorization>${content.join('')}</espi:Authorization>`,
  });
}

export const formatServiceStatusXml = (): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<espi:ServiceStatus xmlns:espi="http://naesb.org/espi">${element('currentStatus', NORMAL)}</espi:ServiceStatus>\n`;

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1_000);
