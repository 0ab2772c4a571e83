import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const gauge = fc.constantFrom(
  'Rain gauge',
  'rainfall',
  'Regenmesser',
  'pluviomètre',
  'sensor de lluvia',
  'pluie',
  'Niederschlag',
);
const meter = fc.constantFrom(
  'Garden',
  'Drain pump',
  'Train station',
  'Rain Bird ESP',
  'Bregenz',
  'Regentstraat',
  'Rainer',
);

test('never counts the rain of a gauge as water, whatever names it: topic, node, model or device', () => {
  const read = (word: string, by: number) => {
    const topic = word.replaceAll(' ', '_');
    if (by === 0) return readMessage(`garden/${topic}/water_total_m3`, '12.5');
    if (by === 1) return readMessage('garden/x', { model: word, water_total_m3: 12.5 });
    if (by === 2) return readMessage(`zwave/${topic}/50/0/value/196609`, { time: 1_795_766_400_000, value: 12.5 });
    const config = {
      unit_of_measurement: 'm³',
      device_class: 'water',
      state_class: 'total_increasing',
      name: 'Water',
      state_topic: 'zwave/28/50/0/value/196609',
      value_template: '{{ value_json.value }}',
      device: { identifiers: ['node28'], model: word },
    };
    const announced = Buffer.from(JSON.stringify(config));
    const prior = [{ topic: 'homeassistant/sensor/node28/water/config', payload: announced }];
    return readMessage('zwave/28/50/0/value/196609', { time: 1_795_766_400_000, value: 12.5 }, { prior });
  };
  fc.assert(
    fc.property(gauge, meter, fc.integer({ min: 0, max: 3 }), (rain, other, by) => {
      expect(read(rain, by)?.readings ?? []).toEqual([]);
      expect(read(rain, by)?.asks ?? []).toEqual([]);
      expect(read(other, by)?.readings).toMatchObject([{ kind: 'volume_total_m3', value: 12.5 }]);
    }),
    { numRuns: 40 },
  );
});
