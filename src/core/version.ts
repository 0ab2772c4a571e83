import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The service's own version. */
export const { version: VERSION } = JSON.parse(text) as { version: string };

/**
 * What this service calls itself where it announces homes to Home Assistant. Ingest knows its own announcements by it: bridged back they would be
 * taken for devices, and a home would count itself.
 */
export const ORIGIN = 'Energy usage service';

/** The first word of the topics on which it tells their state. */
export const ORIGIN_TOPICS = 'energy-usage';
