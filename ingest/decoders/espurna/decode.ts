import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { readObject, readText } from '../read/payload.ts';
import { addCounts } from '../rtlamr/meter.ts';
import { isNewRoot, learnRoot, type Roots, tellsApp } from './roots.ts';
import { parseEspurnaTopic } from './topic.ts';

/** Plugs and meters with the ESPurna firmware. */
export const espurna: Family<Roots> = {
  name: 'espurna',
  takes: (topic) => parseEspurnaTopic(topic) !== null,
  remembers: tellsApp,
  newMemory: () => new Set(),
  isNews: isNewRoot,
  learn: learnRoot,
  decode,
};

const MEMBER = /^(energy|power)(?:\/(\d{1,2}))?$/;

function decode({ topic, payload }: DeviceMessage, settings: DecoderSettings, roots: Roots): Heard | null {
  const parsed = parseEspurnaTopic(topic);
  if (!parsed || !roots.has(parsed.root)) return null;
  const { root: device, leaf, index } = parsed;
  if (leaf === 'app') return nothing();
  const heard = hearing();
  if (leaf === 'data') {
    const body = readObject(payload);
    if (!body) return refusal('payload is not a JSON object');
    for (const [name, value] of Object.entries(body)) {
      const [, quantity, number = ''] = MEMBER.exec(name) ?? [];
      if (quantity) addQuantity(heard, { device, quantity, index: number, value }, settings);
    }
    return heard;
  }
  const value = readText(payload);
  if (value === null) return refusal('payload is not text');
  if (leaf === 'status') {
    heard.addState({ device, channel: 'device', kind: 'availability', value, name: leaf });
  } else addQuantity(heard, { device, quantity: leaf, index, value }, settings);
  return heard;
}

function addQuantity(
  heard: Hearing,
  { device, quantity, index, value }: { device: string; quantity: string; index: string; value: unknown },
  settings: DecoderSettings,
): void {
  const circuit = index === '' ? '' : `channel${Number(index)}/`;
  const name = index === '' ? quantity : `${quantity}/${index}`;
  if (quantity === 'power') heard.add({ device, channel: `${circuit}import`, kind: 'power_w', value, name });
  else if (index === '' && settings.meter && Object.hasOwn(settings.meter, device)) {
    addCounts(heard, [{ direction: 'import', value, name }], { device, medium: 'electric', atMs: null, settings });
  } else {
    heard.add({
      device,
      channel: `${circuit}unknown/energy`,
      kind: 'energy_total_kwh',
      value,
      name,
      asks: { unit: null },
    });
  }
}
