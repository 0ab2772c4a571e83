/** Services of which something is read. */
const SERVICES = [
  'grid',
  'genset',
  'pvinverter',
  'acload',
  'heatpump',
  'evcharger',
  'battery',
  'solarcharger',
  'vebus',
  'temperature',
] as const;

export type Service = (typeof SERVICES)[number];

/** A GX device's own: settings, and sums of what the others tell. Services that are not known here are nobody's, so that owners see them. */
const OF_NO_INTEREST: ReadonlySet<string> = new Set(['system', 'settings', 'platform', 'logger', 'hub4']);

/** What is on a topic of a GX device. */
export type VictronTopic =
  | { about: 'value'; device: string; service: Service; path: string }
  /** What asks for values or writes them, and services of no interest. */
  | { about: 'nothing' };

const TOPIC = /^(?:.+\/)?([NRW])\/([^/]+)\/([a-z0-9]+)\/(\d{1,5})\/(.+)$/;
const KEEPALIVE = /^(?:.+\/)?R\/[^/]+\/keepalive$/;
/** VRM's name of an installation, mostly the MAC of the GX device; short ones are tests'. */
const PORTAL = /^[0-9a-z]{3,32}$/;

/** Reads a topic of dbus-flashmq, a bridge's prefix before it or not; null for every other one. */
export function parseVictronTopic(topic: string): VictronTopic | null {
  if (KEEPALIVE.test(topic)) return { about: 'nothing' };
  const [, letter, portal = '', name, instance, path] = TOPIC.exec(topic) ?? [];
  const service = SERVICES.find((one) => one === name);
  if (!PORTAL.test(portal) || path === undefined) return null;
  if (!service) return OF_NO_INTEREST.has(name ?? '') ? { about: 'nothing' } : null;
  return letter === 'N'
    ? { about: 'value', device: `${portal}/${service}/${instance}`, service, path }
    : { about: 'nothing' };
}
