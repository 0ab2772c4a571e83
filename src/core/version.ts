import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const { version: VERSION } = JSON.parse(text) as { version: string };

/**
 * Name under which this service announces homes to Home Assistant. Ingest ignores announcements with this name, because a home would
 * otherwise count as a device.
 */
export const HOME_ASSISTANT_ORIGIN_NAME = 'Energy usage service';

/** First segment of the topics on which announced homes publish their state. */
export const HOME_ASSISTANT_TOPIC_ROOT = 'energy-usage';
