import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult, ValueKind } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { ownMember, readObject } from '../read/payload.ts';
import { createValueCollector, emptyResult, negateNumber, refusedResult } from '../read/value-collector.ts';

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

type Service = (typeof SERVICES)[number];

/**
 * Services of the GX device itself: settings, and sums over other services. Services that are unknown here remain unrecognised, so that
 * owners see them.
 */
const OF_NO_INTEREST: ReadonlySet<string> = new Set(['system', 'settings', 'platform', 'logger', 'hub4']);

type VictronTopic =
  | { about: 'value'; device: string; service: Service; path: string }
  /** Topics that request or write values, and services that are not read. */
  | { about: 'nothing' };

const TOPIC = /^(?:.+\/)?([NRW])\/([^/]+)\/([a-z0-9]+)\/(\d{1,5})\/(.+)$/;
const KEEPALIVE = /^(?:.+\/)?R\/[^/]+\/keepalive$/;
/** VRM portal id of an installation, mostly the MAC of the GX device; short ids occur in tests. */
const PORTAL = /^[0-9a-z]{3,32}$/;

/** Parses a topic of dbus-flashmq, with or without a bridge's prefix; returns null for every other topic. */
function parseVictronTopic(topic: string): VictronTopic | null {
  if (KEEPALIVE.test(topic)) return { about: 'nothing' };
  const [, letter, portal = '', name, instance, path] = TOPIC.exec(topic) ?? [];
  const service = SERVICES.find((one) => one === name);
  if (!PORTAL.test(portal) || path === undefined) return null;
  if (!service) return OF_NO_INTEREST.has(name ?? '') ? { about: 'nothing' } : null;
  return letter === 'N'
    ? { about: 'value', device: `${portal}/${service}/${instance}`, service, path }
    : { about: 'nothing' };
}

interface Measured {
  channel: string;
  kind: ValueKind;
  /** Whether the device reports generation or discharge as positive. */
  isTurned?: boolean;
  asks?: { unit: string };
}

const METERS: ReadonlySet<Service> = new Set(['grid', 'genset', 'pvinverter', 'acload', 'heatpump', 'evcharger']);
/** Services whose `Forward` energy is generation. */
const MAKING: ReadonlySet<Service> = new Set(['pvinverter', 'genset']);
const AC_POWER = /^Ac\/(?:(L[123])\/)?Power$/;
const AC_ENERGY = /^Ac\/(?:(L[123])\/)?Energy\/(Forward|Reverse)$/;
/** Path of the energy that flows through an inverter/charger from one side to another: `AcIn1ToAcOut`. */
const THROUGH = /^Energy\/((?:AcIn[12]|AcOut|Out|Inverter|Solar)To(?:AcIn[12]|AcOut|Inverter|Battery))$/;
const THROUGH_POWER = /^Ac\/(?:ActiveIn|Out)\/P$/;

/**
 * Returns the meaning of a service's path; null if it is not read. `isLifetime`: whether the energy of a charger is known to be a lifetime
 * total.
 */
function measuredOf(service: Service, path: string, isLifetime: boolean): Measured | null {
  if (METERS.has(service)) return acOf(service, path, isLifetime);
  if (service === 'battery') {
    if (path === 'Dc/0/Power') return { channel: 'import', kind: 'power_w' };
    if (path === 'History/ChargedEnergy') return register('import');
    return path === 'History/DischargedEnergy' ? register('export') : null;
  }
  if (service === 'solarcharger') {
    if (path === 'Yield/Power') return { channel: 'import', kind: 'power_w', isTurned: true };
    return path === 'Yield/System' ? register('export') : null;
  }
  if (service === 'temperature')
    return path === 'Temperature' ? { channel: 'temperature', kind: 'temperature_c' } : null;
  const through = THROUGH.exec(path)?.[1]?.toLowerCase();
  if (through) return { ...register(`unknown/${through}`), asks: { unit: 'kWh' } };
  if (!THROUGH_POWER.test(path)) return null;
  return { channel: `unknown/${path.split('/')[1]?.toLowerCase()}`, kind: 'power_w', asks: { unit: 'W' } };
}

function acOf(service: Service, path: string, isLifetime: boolean): Measured | null {
  const part = (phase: string | undefined) => (phase ? `/${phase.toLowerCase()}` : '');
  const isMaking = MAKING.has(service);
  const power = AC_POWER.exec(path);
  if (power) return { channel: `import${part(power[1])}`, kind: 'power_w', isTurned: isMaking };
  const [, phase, way] = AC_ENERGY.exec(path) ?? [];
  if (!way) return null;
  if (service === 'evcharger' && !isLifetime) {
    // Before Venus OS 3.70, Victron's own chargers reported the energy of the session here.
    return { ...register(`unknown/energy_${way.toLowerCase()}${part(phase)}`), asks: { unit: 'kWh' } };
  }
  return register(`${(way === 'Forward') === isMaking ? 'export' : 'import'}${part(phase)}`);
}

const register = (channel: string): Measured => ({ channel, kind: 'energy_total_kwh' });

const MAX_CHARGERS = 500;

/**
 * Decoder of Victron's Venus OS: the values that a GX device publishes of the connected devices. Its memory holds the chargers that report
 * the energy of a session separately.
 */
export const victron: Family<Set<string>> = {
  name: 'victron',
  takes: (topic) => parseVictronTopic(topic) !== null,
  remembers: (topic) => sessionOf(topic) !== null,
  newMemory: () => new Set(),
  isNews: (memory, message) => {
    const charger = chargerWithSession(message);
    return charger !== null && !memory.has(charger);
  },
  learn(memory, message) {
    const charger = chargerWithSession(message);
    if (charger !== null && memory.size < MAX_CHARGERS) memory.add(charger);
  },
  decode,
};

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  withSession: Set<string>,
): FamilyDecodeResult | null {
  const parsed = parseVictronTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'nothing') return emptyResult();
  const { device, service, path } = parsed;
  const measured = measuredOf(service, path, withSession.has(device));
  // An empty payload means that the device has disappeared from the bus.
  if (!measured || payload.length === 0) return emptyResult();
  const body = readObject(payload);
  if (!body || !Object.hasOwn(body, 'value')) return refusedResult('payload is not a JSON object with a value');
  const collector = createValueCollector();
  const { channel, kind, asks } = measured;
  const value = measured.isTurned ? negateNumber(ownMember(body, 'value')) : ownMember(body, 'value');
  collector.add({ device, channel, kind, value, asks, name: path });
  return collector;
}

/** Returns the charger of a topic that carries the energy of a session. */
function sessionOf(topic: string): string | null {
  const parsed = parseVictronTopic(topic);
  return parsed?.about === 'value' && parsed.service === 'evcharger' && parsed.path === 'Session/Energy'
    ? parsed.device
    : null;
}

/** Returns the charger that reports the energy of a session separately. Its other energy is then a lifetime total. */
function chargerWithSession({ topic, payload }: DeviceMessage): string | null {
  const charger = sessionOf(topic);
  return charger !== null && typeof readNumber(ownMember(readObject(payload), 'value')) === 'number' ? charger : null;
}
