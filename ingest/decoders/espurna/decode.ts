import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { getMember, parseJsonObject, readText } from '../read/payload.ts';
import {
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type ValueCollector,
} from '../read/value-collector.ts';
import { addMeterRegisters } from '../rtlamr/meter.ts';

/** Parsed topic of a message that ESPurna publishes below a device's root. */
interface EspurnaTopic {
  root: string;
  /**
   * Last level of the topic: `energy` or `power`; `data` (many values in one object); `app` (name of the firmware); `status` (last will).
   */
  leaf: string;
  /** Index of the quantity, as in `energy/0`, if a device has several such quantities; otherwise empty. */
  index: string;
}

const TOPIC = /^(.{1,100})\/(?:(energy|power)(?:\/(\d{1,2}))?|(data|app|status))$/;

/**
 * Parses `{root}/energy`, `{root}/power/0`, `{root}/data` …; returns null for every other topic. Other devices use the same words, so the
 * caller must check that the root belongs to an ESPurna device.
 */
function parseEspurnaTopic(topic: string): EspurnaTopic | null {
  const [, root, quantity, index = '', other] = TOPIC.exec(topic) ?? [];
  return root === undefined ? null : { root, leaf: quantity ?? other ?? '', index };
}

/** Topic roots of the devices that have announced ESPurna as their firmware. */
type Roots = Set<string>;

const MAX_ROOTS = 2_000;
const APP = 'ESPURNA';

/** Returns the topic root that a message identifies as ESPurna's; null if the message identifies none. */
function toldRoot({ topic, payload }: DeviceMessage): string | null {
  const parsed = parseEspurnaTopic(topic);
  if (parsed?.leaf === 'app') return readText(payload)?.trim() === APP ? parsed.root : null;
  return parsed?.leaf === 'data' && getMember(parseJsonObject(payload), 'app') === APP ? parsed.root : null;
}

function tellsApp(topic: string): boolean {
  const leaf = parseEspurnaTopic(topic)?.leaf;
  return leaf === 'app' || leaf === 'data';
}

function isNewRoot(roots: Roots, message: DeviceMessage): boolean {
  const root = toldRoot(message);
  return root !== null && !roots.has(root) && roots.size < MAX_ROOTS;
}

function learnRoot(roots: Roots, message: DeviceMessage): void {
  const root = toldRoot(message);
  if (root !== null && roots.size < MAX_ROOTS) roots.add(root);
}

/** Decoder of plugs and meters with the ESPurna firmware. */
export const espurnaFamily: Family<Roots> = {
  name: 'espurna',
  takes: (topic) => parseEspurnaTopic(topic) !== null,
  remembers: tellsApp,
  newMemory: () => new Set(),
  isNews: isNewRoot,
  learn: learnRoot,
  decode,
};

const MEMBER = /^(energy|power)(?:\/(\d{1,2}))?$/;

function decode({ topic, payload }: DeviceMessage, settings: DecoderSettings, roots: Roots): FamilyDecodeResult | null {
  const parsed = parseEspurnaTopic(topic);
  if (!parsed || !roots.has(parsed.root)) return null;
  const { root: device, leaf, index } = parsed;
  if (leaf === 'app') return createEmptyResult();
  const collector = createValueCollector();
  if (leaf === 'data') {
    const body = parseJsonObject(payload);
    if (!body) return createRefusedResult('payload is not a JSON object');
    const members = Object.entries(body).map(([name, value]) => ({ value, found: MEMBER.exec(name) }));
    for (const { value, found } of members) {
      const [, quantity, number = ''] = found ?? [];
      if (quantity) addQuantity(collector, { device, quantity, index: number, value }, settings);
    }
    return members.some(({ found }) => found) ? collector : { ...collector, isUnread: true };
  }
  const value = readText(payload);
  if (value === null) return createRefusedResult('payload is not text');
  if (leaf === 'status') {
    collector.addState({ device, channel: 'device', kind: 'availability', value, name: leaf });
  } else addQuantity(collector, { device, quantity: leaf, index, value }, settings);
  return collector;
}

function addQuantity(
  collector: ValueCollector,
  { device, quantity, index, value }: { device: string; quantity: string; index: string; value: unknown },
  settings: DecoderSettings,
): void {
  const circuit = index === '' ? '' : `channel${Number(index)}/`;
  const name = index === '' ? quantity : `${quantity}/${index}`;
  if (quantity === 'power') collector.add({ device, channel: `${circuit}import`, kind: 'power_w', value, name });
  else if (index === '' && settings.meter && Object.hasOwn(settings.meter, device)) {
    addMeterRegisters(collector, [{ direction: 'import', value, name }], {
      device,
      medium: 'electric',
      atMs: null,
      settings,
    });
  } else {
    collector.add({
      device,
      channel: `${circuit}unknown/energy`,
      kind: 'energy_total_kwh',
      value,
      name,
      asks: { unit: null },
    });
  }
}
