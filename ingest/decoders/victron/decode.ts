import type { DecoderSettings, DeviceMessage, Family, Heard, SaidKind } from '../family.ts';
import { hearing, nothing, refusal, turned } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member, readObject } from '../read/payload.ts';

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

type Service = (typeof SERVICES)[number];

/** A GX device's own: settings, and sums of what the others tell. Services that are not known here are nobody's, so that owners see them. */
const OF_NO_INTEREST: ReadonlySet<string> = new Set(['system', 'settings', 'platform', 'logger', 'hub4']);

/** What is on a topic of a GX device. */
type VictronTopic =
  | { about: 'value'; device: string; service: Service; path: string }
  /** What asks for values or writes them, and services of no interest. */
  | { about: 'nothing' };

const TOPIC = /^(?:.+\/)?([NRW])\/([^/]+)\/([a-z0-9]+)\/(\d{1,5})\/(.+)$/;
const KEEPALIVE = /^(?:.+\/)?R\/[^/]+\/keepalive$/;
/** VRM's name of an installation, mostly the MAC of the GX device; short ones are tests'. */
const PORTAL = /^[0-9a-z]{3,32}$/;

/** Reads a topic of dbus-flashmq, a bridge's prefix before it or not; null for every other one. */
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

/** What a path's value is. */
interface Measured {
  channel: string;
  kind: SaidKind;
  /** It counts as positive what it gives. */
  isTurned?: boolean;
  asks?: { unit: string };
}

const METERS: ReadonlySet<Service> = new Set(['grid', 'genset', 'pvinverter', 'acload', 'heatpump', 'evcharger']);
/** Their `Forward` is what they make. */
const MAKING: ReadonlySet<Service> = new Set(['pvinverter', 'genset']);
const AC_POWER = /^Ac\/(?:(L[123])\/)?Power$/;
const AC_ENERGY = /^Ac\/(?:(L[123])\/)?Energy\/(Forward|Reverse)$/;
/** Energy through an inverter and charger, from one of its sides to another: `AcIn1ToAcOut`. */
const THROUGH = /^Energy\/((?:AcIn[12]|AcOut|Out|Inverter|Solar)To(?:AcIn[12]|AcOut|Inverter|Battery))$/;
const THROUGH_POWER = /^Ac\/(?:ActiveIn|Out)\/P$/;

/** What a service's path is; null where nothing is read of it. `isLifetime`: of a charger, whether its energy is known to be. */
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
    // Until Venus OS 3.70 it was a session's, of Victron's own chargers.
    return { ...register(`unknown/energy_${way.toLowerCase()}${part(phase)}`), asks: { unit: 'kWh' } };
  }
  return register(`${(way === 'Forward') === isMaking ? 'export' : 'import'}${part(phase)}`);
}

const register = (channel: string): Measured => ({ channel, kind: 'energy_total_kwh' });

/** Most chargers that are remembered. */
const MAX_CHARGERS = 500;

/** Victron's Venus OS: what a GX device publishes of what is connected to it. Remembers chargers that tell a session by itself. */
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

function decode({ topic, payload }: DeviceMessage, _settings: DecoderSettings, withSession: Set<string>): Heard | null {
  const parsed = parseVictronTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'nothing') return nothing();
  const { device, service, path } = parsed;
  const measured = measuredOf(service, path, withSession.has(device));
  // Nothing at all: the device has disappeared from the bus.
  if (!measured || payload.length === 0) return nothing();
  const body = readObject(payload);
  if (!body || !Object.hasOwn(body, 'value')) return refusal('payload is not a JSON object with a value');
  const heard = hearing();
  const { channel, kind, asks } = measured;
  const value = measured.isTurned ? turned(member(body, 'value')) : member(body, 'value');
  heard.add({ device, channel, kind, value, asks, name: path });
  return heard;
}

/** The charger of a topic on which a session's energy is. */
function sessionOf(topic: string): string | null {
  const parsed = parseVictronTopic(topic);
  return parsed?.about === 'value' && parsed.service === 'evcharger' && parsed.path === 'Session/Energy'
    ? parsed.device
    : null;
}

/** The charger that tells how much a session has, so that its other energy is all that it ever charged. */
function chargerWithSession({ topic, payload }: DeviceMessage): string | null {
  const charger = sessionOf(topic);
  return charger !== null && typeof readNumber(member(readObject(payload), 'value')) === 'number' ? charger : null;
}
