import { expect, test } from 'vitest';
import { generaliseTopic, isRadioMessage } from './topic-shape.ts';

test.each([
  ['solar/inverter/power', 'solar/inverter/power'],
  ['home/meter/3c71bf9d1e20/power', 'home/meter/+/power'],
  ['home/00:1A:2B:3C:4D:5E/state', 'home/+/state'],
  ['home/aa-bb-cc-dd-ee-ff/state', 'home/+/state'],
  ['solarman/1712345678/totals', 'solarman/+/totals'],
  ['tasmota_3F2A1C/x', '+/x'],
  ['dev-4f1c2a/x', '+/x'],
  ['0x00158d0001a2b3c4', '+'],
  ['b6f7a1c0-1c2d-4e5f-8a9b-0c1d2e3f4a5b/x', '+/x'],
  ['phase/1/LGZ1030655933512', 'phase/+/+'],
  // Words that look like hexadecimal ids but are not, and names that contain a number.
  ['facade/decade/l1/t2/switch0/em24', 'facade/decade/l1/t2/switch0/em24'],
  ['/leading//empty/', '/leading//empty/'],
  ['Küche/Zähler', 'Küche/Zähler'],
  [`a/${'x'.repeat(41)}/b`, 'a/+/b'],
  ['a/b\u0007c/+/#/\u0000', 'a/+/+/+/+'],
  ['1/b/c/d/e/f/g/h/i/j', '+/b/c/d/e/f/g/h/#'],
])('returns the shape of %s as %s', (topic, shape) => {
  expect(generaliseTopic(topic)).toBe(shape);
});

test('bounds a shape, whatever the topic is', () => {
  for (const topic of [
    'ä'.repeat(65_535),
    '/'.repeat(65_535),
    'wörter/'.repeat(9_000),
    `${'ü'.repeat(39)}/`.repeat(9),
  ]) {
    const shape = generaliseTopic(topic);
    expect(Buffer.byteLength(shape)).toBeLessThanOrEqual(120);
    expect(shape.split('/').length).toBeLessThanOrEqual(9);
  }
});

test('recognises topics and messages of radio receivers by their words', () => {
  const nothing = Buffer.alloc(0);
  for (const topic of [
    'rtlamr/1234/state',
    'home/OpenMQTTGateway/RTL_433toMQTT/x',
    'x/wmbus/1',
    'radio/868/x',
    'home/OMG_1/BTtoMQTT/A4C1',
    'rflink/Oregon-1A2B/TEMP',
    'multical21/0/total',
    'espresense/devices/phone/kitchen',
  ]) {
    expect([topic, isRadioMessage(topic, nothing)]).toEqual([topic, true]);
  }
  expect(isRadioMessage('any/thing', Buffer.from('{"EndpointID":1234}'))).toBe(true);
  // Sensors that send no integrity check. rtl_433 also supports these.
  const sensor = '{"model":"Nexus-TH","id":13,"channel":1,"battery_ok":1,"temperature_C":4.1}';
  expect(isRadioMessage('any/thing', Buffer.from(sensor))).toBe(true);
  expect(isRadioMessage('solar/inverter/power', Buffer.from('{"power":1}'))).toBe(false);
  // A Multical 303 is read by cable (kamstrup2mqtt), not by radio.
  expect(isRadioMessage('kamstrup/multical', Buffer.from('{"ENERGY_WH":70000}'))).toBe(false);
});
