import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { readText } from '../read/payload.ts';
import { createValueCollector, emptyResult, refusedResult } from '../read/value-collector.ts';
import { parseOpenDtuTopic } from './topic.ts';

/** Decoder of OpenDTU: production of Hoymiles micro-inverters. */
export const opendtu = createStatelessFamily({
  name: 'opendtu',
  takes: (topic) => parseOpenDtuTopic(topic) !== null,
  decode,
});

function decode({ topic, payload }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseOpenDtuTopic(topic);
  if (!parsed) return null;
  if (parsed.what === 'nothing') return emptyResult();
  const value = readText(payload);
  if (value === null) return refusedResult('payload is not text');
  const collector = createValueCollector();
  const { device } = parsed;
  if (parsed.what === 'reachable') {
    collector.addState({ device, channel: 'device', kind: 'availability', value, name: 'reachable' });
  } else if (parsed.input === 0) {
    // The grid side (input 0) includes the production of the inputs, so the inputs are not read.
    const { field: name } = parsed;
    if (name === 'yieldtotal') collector.add({ device, channel: 'export', kind: 'energy_total_kwh', value, name });
    else if (name === 'power') collector.add({ device, channel: 'export', kind: 'power_w', value, name });
  }
  return collector;
}
