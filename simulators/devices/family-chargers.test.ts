import { describe, expect, it } from 'vitest';
import { grottInverter } from '#simulators/devices/grott-inverter.ts';
import { mbmdMeter } from '#simulators/devices/mbmd-meter.ts';
import { openevseCharger } from '#simulators/devices/openevse.ts';
import { vzloggerMeter } from '#simulators/devices/vzlogger-meter.ts';
import {
  createMessagesOfSteadyHome,
  listRetainedTopics,
  mapPayloadsByTopic,
  STEADY_HOME_NOW_MS,
} from '#test/support/steady-home.ts';

describe('devices with one value per topic', () => {
  it('a charger announces its base topic in a retained message, and sends one register in two units', () => {
    const charger = openevseCharger({ name: 'drive', base: 'emon/openevse-1' });
    const [announcement] = charger.greeting(STEADY_HOME_NOW_MS);
    expect(announcement).toMatchObject({ retain: true });
    expect(JSON.parse(announcement?.payload as string)).toMatchObject({ state: 'connected', mqtt: 'emon/openevse-1' });
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(charger))).toMatchObject({
      'emon/openevse-1/total_energy': '14.622388',
      'emon/openevse-1/watthour': '14622.38',
      'emon/openevse-1/power': '430',
      'emon/openevse-1/amp': '1870',
      'emon/openevse-1/session_energy': '0.00',
    });
  });

  it('mbmd writes three decimals', () => {
    const sent = createMessagesOfSteadyHome(mbmdMeter({ number: 7 }));
    expect(mapPayloadsByTopic(sent)).toMatchObject({
      'mbmd/sdm1-7/Import': '14.622',
      'mbmd/sdm1-7/Import/L1': '14.622',
      'mbmd/sdm1-7/Power': '430.000',
    });
    expect(listRetainedTopics(sent)).toEqual([]);
  });
});

describe('devices that send JSON', () => {
  it('vzlogger announces identifiers, and sends Wh with a time', () => {
    const meter = vzloggerMeter();
    expect(mapPayloadsByTopic(meter.greeting(STEADY_HOME_NOW_MS))['vzlogger/data/chn0/id']).toBe('1-0:1.8.0*255');
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(meter))['vzlogger/data/chn0/raw']).toBe(
      `{ "timestamp": ${STEADY_HOME_NOW_MS}, "value": 14622.3 }`,
    );
  });

  it('Grott writes tenths of a kWh and local time', () => {
    const [record] = createMessagesOfSteadyHome(grottInverter({ serial: 'REH1', tz: 'Europe/Berlin' }));
    expect(JSON.parse(record?.payload as string)).toMatchObject({
      device: 'REH1',
      time: '2026-02-03T11:00:20',
      buffered: 'no',
      values: { pvenergytotal: 146, pvpowerout: 4300 },
    });
  });
});
