import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

/** A message of a Current Cost EnviR, with its sensor and its power. */
const messageOf = (sensor: number, watts: number) =>
  `<msg><src>CC128-v1.29</src><dsb>02371</dsb><time>20:11:47</time><tmpr>21.4</tmpr><sensor>${sensor}</sensor>` +
  `<id>03311</id><type>1</type><ch1><watts>${String(watts).padStart(5, '0')}</watts></ch1></msg>`;

test('reads numbers of simple XML by the names around them, each sensor as a device', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 2, max: 20_000 }), (sensor, watts) => {
      expect(readMessage('flat/display', messageOf(sensor, watts))).toMatchObject({
        readings: [],
        asks: [{ device: `flat/display/sensor ${sensor}`, native_name: 'ch1/watts', unit: 'W', value: watts }],
      });
    }),
  );
  const registers =
    '<?xml version="1.0"?>\n<meter>\n <import_kwh>41.5</import_kwh>\n <export_kwh>7</export_kwh>\n</meter>\n';
  expect(readMessage('flat/meter', registers)?.readings).toMatchObject([
    { channel: 'import', value: 41.5 },
    { channel: 'export', value: 7 },
  ]);
});

test('reads nothing of XML with attributes, entities, repeated names, open tags or a large text', () => {
  const one = '<import_kwh>41.5</import_kwh>';
  for (const text of [
    `<m>${one}${one}</m>`,
    `<m a="1">${one}</m>`,
    `<m>${one}<x>&lol;</x></m>`,
    `<!DOCTYPE m [<!ENTITY a "1">]><m>${one}</m>`,
    `<m>${one}`,
    `<m>${one}</n>`,
    `${one}</m>`,
    `<m>${one}<!-- x --></m>`,
    `<m>${one}<pad>${'7'.repeat(9_000)}</pad></m>`,
    '<__proto__>1</__proto__>',
  ])
    expect([text.slice(0, 40), readMessage('flat/meter', text)]).toEqual([text.slice(0, 40), null]);
});
