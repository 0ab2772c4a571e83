import { DAY_MS } from '#src/core/units.ts';
import type { AppScope } from './scopes.ts';

/** Scope of this service that an app needs for an ESPI subscription and for the notices about the subscription. */
export const GREEN_BUTTON_REQUIRED_SCOPE = 'insights:read' satisfies AppScope;

/** Interval length and history of the data that an app may read by Green Button Connect My Data. */
interface GreenButtonTerms {
  intervalSeconds: 900 | 3_600;
  historySeconds: number;
}

/**
 * Function blocks (features of the ESPI standard) that this service supports: common (1), Connect My Data (3), interval metering
 * (4) of electricity (5), forward and reverse (8), security and privacy (13), OAuth (14), query parameters (37), notices (39).
 */
const FUNCTION_BLOCKS: ReadonlySet<number> = new Set([1, 3, 4, 5, 8, 13, 14, 37, 39]);
/** Function blocks for metering. An app can read data only if its scope string contains at least one of these blocks. */
const METERING = [4, 5];
const DAY_SECONDS = DAY_MS / 1_000;
const DEFAULT_HISTORY_SECONDS = 365 * DAY_SECONDS;
/** Longest history that an app can request, in seconds: three years. */
const MAX_HISTORY_SECONDS = 1_095 * DAY_SECONDS;
/** Maximum number of characters of a scope string. The negotiated scope string must fit into ESPI's String256. */
const MAX_LENGTH = 512;

const format = (blocks: readonly number[], { intervalSeconds, historySeconds }: GreenButtonTerms): string =>
  `FB=${blocks.join('_')};IntervalDuration=${intervalSeconds};BlockDuration=daily;HistoryLength=${historySeconds}`;

/** Scope strings that an app can request, one for each interval length. */
export const GREEN_BUTTON_SCOPES: readonly string[] = ([900, 3_600] as const).map((intervalSeconds) =>
  format([...FUNCTION_BLOCKS], { intervalSeconds, historySeconds: MAX_HISTORY_SECONDS }),
);
/** Scope string of an authorization for which the app requested no scope string. */
export const DEFAULT_GREEN_BUTTON_SCOPE: string = format([...FUNCTION_BLOCKS], {
  intervalSeconds: 3_600,
  historySeconds: DEFAULT_HISTORY_SECONDS,
});

/** Whether a requested scope is a scope string of ESPI (NAESB REQ.21, Function Block 14). */
export const isGreenButtonScope = (scope: string): boolean => scope.startsWith('FB=');

/**
 * Returns the part of a requested scope string that this service can grant, or null. Unsupported function blocks and terms are
 * omitted, and the history is at most three years.
 */
export function negotiateGreenButtonScope(asked: string): string | null {
  const [, blocks = '', rest = ''] = /^FB=(\d{1,4}(?:_\d{1,4})*)((?:;\w{1,40}=[\w.,:-]{0,200})*)$/.exec(asked) ?? [];
  if (blocks === '' || asked.length > MAX_LENGTH) return null;
  const granted = [...new Set(blocks.split('_').map(Number))].filter((block) => FUNCTION_BLOCKS.has(block));
  if (!granted.some((block) => METERING.includes(block))) return null;
  const members = new Map(rest.split(';').map((member) => member.split('=') as [string, string]));
  const intervalSeconds = intervalOf(members.get('IntervalDuration'));
  const history = members.get('HistoryLength') ?? String(DEFAULT_HISTORY_SECONDS);
  if (intervalSeconds === null || !/^[1-9]\d{0,11}$/.test(history)) return null;
  return format(granted, { intervalSeconds, historySeconds: Math.min(Number(history), MAX_HISTORY_SECONDS) });
}

/** Returns the shortest requested interval length that this service supports, in seconds, or null. */
function intervalOf(asked = '3600'): 900 | 3_600 | null {
  const lengths = asked.split('_');
  return lengths.includes('900') ? 900 : lengths.includes('3600') ? 3_600 : null;
}

/** Returns the interval length and history of a granted scope string. Null stands for the default scope string. */
export function parseGreenButtonTerms(scope: string | null): GreenButtonTerms {
  const [, interval, history] = /IntervalDuration=(\d+).*HistoryLength=(\d+)/.exec(
    scope ?? DEFAULT_GREEN_BUTTON_SCOPE,
  ) as RegExpExecArray;
  return { intervalSeconds: interval === '900' ? 900 : 3_600, historySeconds: Number(history) };
}

export const ESPI_RESOURCE_PATH = '/espi/1_1/resource';

/** Returns the URLs of an authorization's ESPI resources. `publicUrl`: the URL of the service; `id`: the authorization's resource_id. */
export const createSubscriptionUrls = (
  publicUrl: string,
  id: string,
): { resourceURI: string; authorizationURI: string } => ({
  resourceURI: `${publicUrl}${ESPI_RESOURCE_PATH}/Batch/Subscription/${id}`,
  authorizationURI: `${publicUrl}${ESPI_RESOURCE_PATH}/Authorization/${id}`,
});

/** Returns the URL of an app's ApplicationInformation (ESPI). */
export const createApplicationUrl = (publicUrl: string, id: string): string =>
  `${publicUrl}${ESPI_RESOURCE_PATH}/ApplicationInformation/${id}`;
