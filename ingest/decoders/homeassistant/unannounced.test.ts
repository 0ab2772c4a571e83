import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

/** Announcement of an energy of the device `i7`. */
const announce = (object: string, template: string, topic = 'roof/i7') => ({
  topic: `homeassistant/sensor/i7_${object}/config`,
  payload: Buffer.from(
    JSON.stringify({
      name: object.replaceAll('_', ' '),
      state_topic: topic,
      value_template: template,
      device_class: 'energy',
      state_class: 'total_increasing',
      unit_of_measurement: 'kWh',
      unique_id: `i7_${object}`,
      device: { identifiers: ['i7'], name: 'Inverter', manufacturer: 'Sungrow' },
    }),
  ),
});
const BODY = {
  daily_power_yields: 4.2,
  daily_export: 2.1,
  total_power_yields: 812.6,
  export_total_kwh: 412.3,
  serial: 'X',
};
const DAY = [
  announce('daily_generation', '{{ value_json.daily_power_yields }}'),
  announce('daily_export', "{{ value_json['daily_export'] | float }}"),
];
const shown = (prior: typeof DAY, body: unknown = BODY) => {
  const { readings, asks } = readMessage('roof/i7', body, { prior }) ?? {};
  return [readings, asks?.map(({ device, native_name, unit }) => [device, native_name, unit])];
};

// Source: bohdan-s/SunGather (config-example.yaml announces the values of the day, its topic also contains the registers).
test('asks about members without an announcement if all announced members are values of a day', () => {
  expect(shown(DAY)).toEqual([
    [],
    [
      ['i7', 'total_power_yields', null],
      ['i7', 'export_total_kwh', 'kWh'],
    ],
  ]);
  expect(shown(DAY, { daily_power_yields: 4.2, daily_export: 2.1 })).toEqual([[], []]);
  expect(shown(DAY, { daily_power_yields: 4.2, room_temperature: 21.5 })).toEqual([[], []]);
  // A register of the device on any topic may be the same energy.
  expect(shown([...DAY, announce('export_total', '{{ value_json.export_total_kwh }}')])).toEqual([
    [],
    [['i7', 'export total', 'kWh']],
  ]);
  expect(shown([...DAY, announce('export_total', '{{ value_json.x }}', 'roof/other')])).toEqual([[], []]);
  // A computed value may contain any member.
  expect(shown([...DAY, announce('daily_use', '{{ value_json.daily_a + value_json.b }}')])).toEqual([[], []]);
});
