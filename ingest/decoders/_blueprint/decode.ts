import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { getMember, parseJsonObject } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createRefusedResult, createValueCollector } from '../read/value-collector.ts';

/** Parses the topic `example/{device}/energy`; returns null for every other topic. */
function parseTopic(topic: string): { device: string } | null {
  const [root, device, leaf, more] = topic.split('/');
  return root === 'example' && device && leaf === 'energy' && more === undefined ? { device } : null;
}

/**
 * Example decoder: copy it to write the decoder of a new device family. It decodes the payload `{"time": "…Z", "total_wh": 1234, "power":
 * 56}`.
 */
export const blueprintFamily = createStatelessFamily({
  name: '_blueprint',
  takes: (topic) => parseTopic(topic) !== null,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const body = parseJsonObject(payload);
  if (!body) return createRefusedResult('payload is not a JSON object');
  const { device } = parsed;
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 'time'), 'iso', { receivedAtMs });
  const total = getMember(body, 'total_wh');
  collector.add({
    device,
    channel: 'import',
    kind: 'energy_total_kwh',
    value: total,
    per: 1_000,
    atMs,
    name: 'total_wh',
  });
  collector.add({
    device,
    channel: 'import',
    kind: 'power_w',
    value: getMember(body, 'power'),
    atMs,
    name: 'power',
  });
  return collector;
}
