import { describe, expect, it } from 'vitest';
import { amsreaderMeter } from '#simulators/devices/amsreader-meter.ts';
import { openwbCounter } from '#simulators/devices/openwb-counter.ts';
import { p1Esp8266Meter } from '#simulators/devices/p1-esp8266.ts';
import { smlreaderMeter } from '#simulators/devices/smlreader-meter.ts';
import {
  createMessagesOfSteadyHome,
  listRetainedTopics,
  mapPayloadsByTopic,
  STEADY_HOME_NOW_MS,
} from '#test/support/steady-home.ts';

describe('meters behind readers of other makers', () => {
  it('amsreader writes kWh with three decimals and the meter’s time', () => {
    const [message] = createMessagesOfSteadyHome(amsreaderMeter({ topic: 'ams' }));
    const { t, data } = JSON.parse(message?.payload as string);
    expect(t).toBe(STEADY_HOME_NOW_MS / 1000);
    expect(data).toMatchObject({ P: 430, tPI: 14.622, tPIT1: 0, tPO: 0 });
    expect(message?.payload).toContain('"tPI":14.622,"tPIT1":0.000');
  });

  it('openWB writes Wh with a resolution of 1 mWh, all retained', () => {
    const sent = createMessagesOfSteadyHome(openwbCounter({ id: 4 }));
    expect(mapPayloadsByTopic(sent)['openWB/counter/4/get/imported']).toBe('14622.388');
    expect(listRetainedTopics(sent)).toHaveLength(sent.length);
  });

  it('esp8266_p1meter writes two registers in whole Wh', () => {
    const sent = mapPayloadsByTopic(createMessagesOfSteadyHome(p1Esp8266Meter({ tz: 'Europe/Berlin' })));
    // The low tariff applied for 14 hours: Monday 1 to 7 o'clock, and Monday 23 to Tuesday 7 o'clock.
    expect(sent).toMatchObject({
      'sensors/power/p1meter/consumption_low_tarif': '6020',
      'sensors/power/p1meter/consumption_high_tarif': '8602',
      'sensors/power/p1meter/actual_consumption': '430',
    });
  });

  it('SMLReader writes Wh with the meter’s decimal', () => {
    const sent = mapPayloadsByTopic(createMessagesOfSteadyHome(smlreaderMeter({})));
    expect(sent['iot/smartmeter/sensor/1/obis/1-0:1.8.0/255/value']).toBe('14622.3');
    expect(sent['iot/smartmeter/sensor/1/obis/1-0:16.7.0/255/value']).toBe('430.0');
  });
});
