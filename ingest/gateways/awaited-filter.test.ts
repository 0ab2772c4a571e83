import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';
import { combineTopicsToFilter, isAwaitingFirstValue, isDeviceIdInTopic } from '#ingest/gateways/awaited-filter.ts';
import { DeviceDiscoveryBatch } from '#ingest/gateways/discoveries.ts';
import { HOME_ASSISTANT_ORIGIN_NAME } from '#src/core/version.ts';

test.each<[string, [string, ...string[]]]>([
  ['SS/total', ['SS/total']],
  ['SS/#', ['SS/total', 'SS/power']],
  ['SS/#', ['SS', 'SS/power']],
  ['meter/sensor/#', ['meter/sensor/power/state', 'meter/sensor/total/state']],
  ['meter/#', ['meter/sensor/#', 'meter/number/total/state']],
  ['meter/sensor/#', ['meter/sensor/#', 'meter/sensor/total/state']],
  ['power', ['power', 'total']],
  ['/a/power', ['/a/power', '/b/total']],
])('returns the filter %s for a bridge from %j', (filter, topics) => {
  expect(combineTopicsToFilter(topics)).toBe(filter);
});

test('accepts a native id in a topic only as whole levels', () => {
  expect(isDeviceIdInTopic('zigbee2mqtt/kitchen/fridge', 'kitchen/fridge')).toBe(true);
  expect(isDeviceIdInTopic('zigbee2mqtt/kitchen/fridge', 'fridge')).toBe(true);
  expect(isDeviceIdInTopic('zigbee2mqtt/kitchen/fridge', 'kit')).toBe(false);
});

function gateway() {
  const decoders = createGatewayDecoders();
  const discoveries = new DeviceDiscoveryBatch(['gwy_1'], []);
  const receive = (topic: string, payload: object) => {
    const message = { topic, payload: Buffer.from(JSON.stringify(payload)), receivedAtMs: 1_800_000_000_000 };
    decoders.recall(message);
    const decoded = decoders.read(message, {});
    if (decoded) discoveries.receive('gwy_1', decoded, message, { decoders, settings: {} });
  };
  const find = (family: string, nativeId: string) => discoveries.find('gwy_1', family, nativeId);
  return { receive, find };
}

const ENTITIES = {
  power: { unit_of_measurement: 'W', device_class: 'power' },
  energy: { unit_of_measurement: 'kWh', device_class: 'energy', state_class: 'total_increasing' },
};
type Sent = [topic: string, payload: object];
const announcement = (id: string, topic: string, entity: keyof typeof ENTITIES): Sent => [
  `homeassistant/sensor/${id}/${entity}/config`,
  {
    ...ENTITIES[entity],
    state_topic: topic,
    value_template: `{{ value_json.${entity} }}`,
    device: { identifiers: [id] },
  },
];
/**
 * Zigbee2MQTT announces the plug, and another decoder family reads its values. For the meter, one family reads both the announcement and
 * the values.
 */
const plug = (name: string) => ({
  announced: [
    announcement(`0x${name}`, `zigbee2mqtt/${name}`, 'power'),
    announcement(`0x${name}`, `zigbee2mqtt/${name}`, 'energy'),
  ],
  state: [`zigbee2mqtt/${name}`, { power: 12, energy: 3.5 }] satisfies Sent,
});
const meter = (name: string) => ({
  announced: [announcement(name, `${name}/power`, 'power'), announcement(name, `${name}/energy`, 'energy')],
  state: [`${name}/energy`, { energy: 3.5 }] satisfies Sent,
});

test('lists each device once, and every device that has a value, for any order of messages', () => {
  const names = ['a', 'b', 'c'];
  const plugs = names.map((name) => plug(`plug-${name}`));
  const meters = names.map((name) => meter(`meter-${name}`));
  const all = [...plugs, ...meters].flatMap(({ announced, state }): Sent[] => [...announced, state]);
  fc.assert(
    fc.property(fc.array(fc.nat(all.length - 1), { maxLength: 60 }), (order) => {
      const { receive, find } = gateway();
      const received = order.map((at) => all[at] as Sent);
      for (const sent of received) receive(...sent);
      for (const name of names) {
        const isRead = received.some(([topic]) => topic === `zigbee2mqtt/plug-${name}`);
        const shown = find('homeassistant', `0xplug-${name}`);
        expect([
          find('zigbee2mqtt', `plug-${name}`) !== undefined,
          isAwaitingFirstValue(shown?.awaits ?? null),
        ]).toEqual([isRead, shown !== undefined && !isRead]);
        const own = find('homeassistant', `meter-${name}`);
        const isAnnounced = received.some(([topic]) => topic.startsWith(`homeassistant/sensor/meter-${name}/`));
        expect(own !== undefined).toBe(isAnnounced);
        expect(isAwaitingFirstValue(own?.awaits ?? null)).toBe(isAnnounced && own?.quantities.length === 0);
      }
    }),
    { numRuns: 300 },
  );
});

test('widens a device’s filter with its announcements until a value arrives, and then leaves it unchanged', () => {
  const { receive, find } = gateway();
  const { announced, state } = meter('SS');
  receive(...(announced[0] as Sent));
  expect(find('homeassistant', 'SS')).toMatchObject({ awaits: 'SS/power', quantities: [] });
  receive(...(announced[1] as Sent));
  expect(find('homeassistant', 'SS')?.awaits).toBe('SS/#');
  receive(...state);
  const before = structuredClone(find('homeassistant', 'SS'));
  expect(before).toMatchObject({ awaits: null, quantities: [{ channel: 'import', counts: 'import' }] });
  for (const one of announced) receive(...one);
  expect(find('homeassistant', 'SS')).toEqual(before);
});

test('does not wait for values that cannot be listed or bridged', () => {
  const { receive, find } = gateway();
  const [topic, config] = announcement('SS', 'SS/power', 'power');
  const announce = (given: object) => receive(topic, { ...config, ...given });
  announce({ state_topic: 'SS/+/power' });
  announce({ state_topic: 'SS/#' });
  announce({ state_topic: 'SS/\u0007' });
  announce({ state_topic: 'x'.repeat(513) });
  announce({ value_template: '{{ states("sensor.x") }}' });
  announce({ unit_of_measurement: '%' });
  announce({ device: { identifiers: ['SS\u0007'] } });
  announce({ origin: { name: HOME_ASSISTANT_ORIGIN_NAME } });
  expect([find('homeassistant', 'SS'), find('homeassistant', 'SS\u0007')]).toEqual([undefined, undefined]);
  announce({});
  expect(find('homeassistant', 'SS')?.awaits).toBe('SS/power');
});

test('lists at most 2,000 devices from announcements, as from messages', () => {
  const { receive, find } = gateway();
  for (let at = 0; at < 2_010; at++) receive(...announcement(`d${at}`, `d${at}/power`, 'power'));
  expect([find('homeassistant', 'd1999')?.awaits, find('homeassistant', 'd2000')]).toEqual(['d1999/power', undefined]);
});
