import { expect, test } from 'vitest';
import { FAMILIES } from './families.ts';
import { createStatelessFamily, type Family } from './family.ts';
import { createGatewayDecoders, createTopicRouter } from './gateway-decoders.ts';

/** Returns families that each accept topics below their own name, and counts their calls. */
function counting(names: readonly string[]) {
  const asked = { takes: 0, decodes: 0 };
  const families: Family[] = names.map((name) => {
    const takes = (topic: string) => {
      asked.takes++;
      return topic.startsWith(`${name}/`);
    };
    const decode = () => {
      asked.decodes++;
      return { said: [], refused: [] };
    };
    return createStatelessFamily({ name, takes, decode });
  });
  return { families, asked };
}

const NAMES = Array.from({ length: 60 }, (_, index) => `f${index}`);

test('matches a topic once; each of its messages then costs one call of one family', () => {
  const { families, asked } = counting(NAMES);
  const decoders = createGatewayDecoders(families);
  const message = { topic: 'f59/meter', payload: Buffer.alloc(0), receivedAtMs: 0 };
  for (let times = 0; times < 100; times++) expect(decoders.hear(message, {})?.family).toBe('f59');
  expect(asked).toEqual({ takes: 60, decodes: 100 });
  // Decoders of a second gateway use the same cached routes of the topic.
  createGatewayDecoders(families).hear(message, {});
  expect(asked.takes).toBe(60);
});

test('tries a family without `takes` on every topic, in its order', () => {
  const { families } = counting(['a', 'b']);
  const any = createStatelessFamily({ name: 'any', decode: () => null });
  const router = createTopicRouter([families[0] as Family, any, families[1] as Family]);
  expect(router('b/x').reads).toEqual([1, 2]);
  expect(router('other').reads).toEqual([1]);
});

test('tries a family with `knows` on topics of other families, by the body alone', () => {
  const asked = { decodes: 0 };
  const family: Family = {
    ...createStatelessFamily({
      name: 'a',
      takes: (topic) => topic.startsWith('a/'),
      knows: (payload) => payload[0] === 0x7b,
      decode() {
        asked.decodes++;
        return { said: [], refused: [] };
      },
    }),
  };
  const decoders = createGatewayDecoders([family]);
  const hear = (topic: string, payload: string) =>
    decoders.hear({ topic, payload: Buffer.from(payload), receivedAtMs: 0 }, {})?.family;
  expect([hear('a/x', '1'), hear('b/x', '{}'), hear('b/x', '1')]).toEqual(['a', 'a', undefined]);
  expect(asked.decodes).toBe(2);
});

test('evicts a flood of topics and long topics, but not a topic in use', () => {
  const { families, asked } = counting(['a']);
  const router = createTopicRouter(families, 10);
  for (let number = 0; number < 1_000; number++) {
    router(`flood/${number}`);
    router('a/meter');
  }
  expect(asked.takes).toBe(1_001);
  // The new topics have evicted this topic from the cache, so it is matched again.
  router('flood/0');
  expect(asked.takes).toBe(1_002);
  const long = `a/${'x'.repeat(1_000)}`;
  expect([router(long).reads, router(long).reads]).toEqual([[0], [0]]);
  expect(asked.takes).toBe(1_004);
});

/** Words whose repetition could make a regular expression restart at each position and take quadratic time. */
const ENDLESS = [
  '1',
  'N/a1/grid/1/',
  '/RTL_433toMQTT',
  'x/meter/import/',
  'openWB/',
  '/site/pv/1',
  '-ebusd',
  '/50/0/a',
];
const endlessTopics = (word: string, length: number): string[] => {
  const many = word.repeat(length / word.length);
  return [`m/a${many}/Import`, `${many}\n`, `x${many}!`];
};
const MICROSECONDS = 200_000;

test.each(ENDLESS)('rejects a topic of 65,000 characters that repeats %s at almost no cost', (word) => {
  const decoders = createGatewayDecoders();
  const { user } = process.cpuUsage();
  for (const topic of endlessTopics(word, 65_000)) {
    expect(decoders.hear({ topic, payload: Buffer.from('1'), receivedAtMs: 0 }, {})).toBeNull();
  }
  expect(process.cpuUsage().user - user).toBeLessThan(MICROSECONDS);
});

test.each(ENDLESS)('matches topics of maximum length that repeat %s quickly', (word) => {
  const { user } = process.cpuUsage();
  for (const topic of endlessTopics(word, 1_000)) createTopicRouter(FAMILIES)(topic);
  expect(process.cpuUsage().user - user).toBeLessThan(MICROSECONDS);
});

test('reads an announced value on a topic if the earlier family knows nothing in the message', () => {
  const topic = 'tele/edpbox1/SENSOR';
  const announced = (name: string, path: string) => ({
    topic: `homeassistant/sensor/EB1/${name}/config`,
    payload: Buffer.from(
      JSON.stringify({
        name,
        uniq_id: `EB1_${name}`,
        stat_t: topic,
        val_tpl: `{{ value_json.${path} }}`,
        unit_of_meas: 'kWh',
        dev_cla: 'energy',
        stat_cla: 'total_increasing',
        dev: { ids: 'EB1' },
      }),
    ),
    receivedAtMs: 0,
  });
  const read = (body: object, isAnnounced = true) => {
    const decoders = createGatewayDecoders();
    if (isAnnounced)
      for (const one of [announced('Import', 'EB1.TEI'), announced('Total', 'ENERGY.Total')]) decoders.recall(one);
    const decoded = decoders.hear({ topic, payload: Buffer.from(JSON.stringify(body)), receivedAtMs: 0 }, {});
    return [decoded?.family, decoded?.said.map(({ value }) => value)];
  };
  expect(read({ EB1: { TEI: 6618.873 } })).toEqual(['homeassistant', [6618.873]]);
  expect(read({ EB1: { TEI: 6618.873 } }, false)).toEqual(['tasmota', []]);
  // The family `tasmota` reads this value, so that no later family reads it again.
  expect(read({ ENERGY: { Total: 12.5 }, EB1: { TEI: 6618.873 } })).toEqual(['tasmota', [12.5]]);
  expect(read({ ENERGY: { Today: 1 } })).toEqual(['tasmota', []]);
});
