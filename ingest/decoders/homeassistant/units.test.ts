import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';
import { findEnergyScale } from './units.ts';

// Source: brunohorta82/BH_PZEM_ESP8266, which announces `ºkWh` and no classes.
test('reads a unit of energy behind a degree sign, and asks about it without classes', () => {
  fc.assert(
    fc.property(fc.constantFrom('Wh', 'kWh', 'KWh', 'MWh', 'mWh'), fc.constantFrom('°', 'º', '° '), (unit, sign) => {
      expect(findEnergyScale(sign + unit)).toEqual(findEnergyScale(unit));
      for (const other of ['C', 'F', 'J', '']) expect(findEnergyScale(sign + other)).toBeUndefined();
      const config = {
        ...{ name: 'x_counter', state_topic: 'x/status', unit_of_measurement: sign + unit },
        value_template: '{{ value_json.contador }}',
      };
      const prior = [{ topic: 'homeassistant/sensor/x/counter/config', payload: Buffer.from(JSON.stringify(config)) }];
      const read = readMessage('x/status', { contador: 1_542 }, { prior });
      expect([read?.readings, read?.asks.length]).toEqual([[], 1]);
    }),
  );
});
