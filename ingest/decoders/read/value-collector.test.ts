import { expect, test } from 'vitest';
import { createValueCollector } from './value-collector.ts';

test('reports at most a hundred refusals for a message with thousands of invalid elements', () => {
  const collector = createValueCollector();
  for (let index = 0; index < 10_000; index++) collector.refuse(`part ${index}`);
  expect(collector.refused).toHaveLength(101);
  expect(collector.refused.at(-1)).toBe('more than 100 parts of it cannot be used');
});

test('refuses a channel with too long a name, and names its device', () => {
  const collector = createValueCollector();
  const said = { device: 'meter', kind: 'power_w', value: 1, name: 'power' } as const;
  collector.add({ ...said, channel: `${'a/'.repeat(70)}import` });
  collector.add({ ...said, channel: 'import' });
  expect(collector.said.map(({ channel }) => channel)).toEqual(['import']);
  expect(collector.blamed).toEqual(['meter']);
});
