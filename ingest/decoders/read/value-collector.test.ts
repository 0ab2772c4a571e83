import { expect, test } from 'vitest';
import { createValueCollector } from './value-collector.ts';

test('reports a hundred refusals of a message with thousands of invalid elements', () => {
  const heard = createValueCollector();
  for (let index = 0; index < 10_000; index++) heard.refuse(`part ${index}`);
  expect(heard.refused).toHaveLength(101);
  expect(heard.refused.at(-1)).toBe('more than 100 parts of it cannot be used');
});

test('refuses a channel with too long a name, and names its device', () => {
  const heard = createValueCollector();
  const said = { device: 'meter', kind: 'power_w', value: 1, name: 'power' } as const;
  heard.add({ ...said, channel: `${'a/'.repeat(70)}import` });
  heard.add({ ...said, channel: 'import' });
  expect(heard.said.map(({ channel }) => channel)).toEqual(['import']);
  expect(heard.blamed).toEqual(['meter']);
});
