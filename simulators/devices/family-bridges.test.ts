import { describe, expect, it } from 'vitest';
import { esphomeMeter } from '#simulators/devices/esphome-meter.ts';
import { p1DsmrReader } from '#simulators/devices/p1-dsmr-reader.ts';
import {
  createMessagesOfSteadyHome,
  createSteadyHome,
  HOUR_MS,
  listRetainedTopics,
  mapPayloadsByTopic,
  STEADY_HOME_NOW_MS,
  STEADY_HOME_START_MS,
} from '#test/support/steady-home.ts';
import { zigbee2mqttPlug, zigbee2mqttTrv } from './zigbee2mqtt.ts';

describe('Zigbee devices', () => {
  it('repeat the previous energy in the message with the new power', () => {
    const plug = zigbee2mqttPlug({ name: 'kitchen/dishwasher' });
    const home = createSteadyHome(STEADY_HOME_NOW_MS);
    plug.messages(home, STEADY_HOME_NOW_MS - 120_000);
    const sent = plug.messages(home, STEADY_HOME_NOW_MS).map((one) => JSON.parse(one.payload));
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ power: 2150, energy: 14.6 });
    expect(sent[1]).toEqual({
      current: 9.35,
      energy: 14.62,
      linkquality: 156,
      power: 2150,
      power_on_behavior: 'previous',
      state: 'ON',
      voltage: 230,
    });
    expect(plug.messages(home, STEADY_HOME_NOW_MS)).toEqual([]);
  });

  it("report a valve's activity and the selected mode", () => {
    const trv = zigbee2mqttTrv({ name: 'bath' });
    expect(JSON.parse(mapPayloadsByTopic(createMessagesOfSteadyHome(trv))['zigbee2mqtt/bath'] as string)).toMatchObject(
      {
        local_temperature: 20.5,
        occupied_heating_setpoint: 21.5,
        pi_heating_demand: 100,
        running_state: 'heat',
        system_mode: 'heat',
      },
    );
    expect(trv.greeting(STEADY_HOME_NOW_MS)).toContainEqual({
      topic: 'zigbee2mqtt/bath/availability',
      payload: '{"state":"online"}',
      retain: true,
    });
  });
});

describe('a Dutch meter behind DSMR-reader', () => {
  it('writes two registers as strings of kWh, power in kW and time in UTC, all retained', () => {
    const [message] = createMessagesOfSteadyHome(p1DsmrReader({ tz: 'Europe/Berlin' }));
    expect(message).toMatchObject({ topic: 'dsmr/json', retain: true });
    expect(JSON.parse(message?.payload as string)).toEqual({
      id: 12243,
      timestamp: '2026-02-03T10:00:20Z',
      // The low tariff applied for 14 hours: Monday 1 to 7 o'clock, and Monday 23 to Tuesday 7 o'clock.
      electricity_delivered_1: '6.020',
      electricity_returned_1: '0.000',
      electricity_delivered_2: '8.602',
      electricity_returned_2: '0.000',
      electricity_currently_delivered: '0.430',
      electricity_currently_returned: '0.000',
      phase_currently_delivered_l1: '0.430',
      phase_currently_delivered_l2: null,
      phase_currently_delivered_l3: null,
      extra_device_timestamp: '2026-02-03T10:00:00Z',
      extra_device_delivered: '1523.847',
    });
  });

  it('returns the same registers whatever was requested before', () => {
    const meter = p1DsmrReader({ tz: 'Europe/Berlin' });
    for (const at of [STEADY_HOME_START_MS, STEADY_HOME_NOW_MS + HOUR_MS, STEADY_HOME_START_MS + HOUR_MS])
      createMessagesOfSteadyHome(meter, at);
    expect(createMessagesOfSteadyHome(meter)).toEqual(
      createMessagesOfSteadyHome(p1DsmrReader({ tz: 'Europe/Berlin' })),
    );
  });
});

describe('an ESPHome meter', () => {
  it('contains units only in its discovery message, and sends states as retained text', () => {
    const meter = esphomeMeter({ name: 'cupboard', unit: 'Wh' });
    const greeting = meter.greeting(STEADY_HOME_NOW_MS);
    expect(listRetainedTopics(greeting)).toHaveLength(3);
    const topic = 'cupboard/sensor/total_energy/state';
    expect(
      JSON.parse(mapPayloadsByTopic(greeting)['homeassistant/sensor/cupboard/total_energy/config'] as string),
    ).toMatchObject({
      dev_cla: 'energy',
      unit_of_meas: 'Wh',
      stat_cla: 'total_increasing',
      stat_t: topic,
      avty_t: 'cupboard/status',
    });
    expect(createMessagesOfSteadyHome(meter)).toContainEqual({ topic, payload: '14622', retain: true });
    expect(createMessagesOfSteadyHome(esphomeMeter({ name: 'cupboard' }))).toContainEqual({
      topic,
      payload: '14.622',
      retain: true,
    });
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(meter))['cupboard/sensor/power/state']).toBe('430.0');
  });
});
