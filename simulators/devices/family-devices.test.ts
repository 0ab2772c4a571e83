import { describe, expect, it } from 'vitest';
import { evccLoadpoint } from '#simulators/devices/evcc-loadpoint.ts';
import { goECharger } from '#simulators/devices/go-e-charger.ts';
import { shellyEmGen1 } from '#simulators/devices/shelly-em-gen1.ts';
import { shellyPmGen2 } from '#simulators/devices/shelly-pm-gen2.ts';
import { tasmotaPlug } from '#simulators/devices/tasmota-plug.ts';
import { victronGridMeter } from '#simulators/devices/victron-grid.ts';
import { zwavejsPlug } from '#simulators/devices/zwavejs-plug.ts';
import {
  createMessagesOfSteadyHome,
  createSteadyHome,
  listRetainedTopics,
  mapPayloadsByTopic,
  STEADY_HOME_NOW_MS,
  STEADY_HOME_START_MS,
} from '#test/support/steady-home.ts';

describe('a Tasmota plug', () => {
  it('writes kWh with three decimals, local time without a zone, and the energy of its local days', () => {
    const plug = tasmotaPlug({ name: 'tasmota_A1B2C3', tz: 'Europe/Berlin' });
    createMessagesOfSteadyHome(plug, STEADY_HOME_NOW_MS - 300_000);
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(plug))['tele/tasmota_A1B2C3/SENSOR']).toBe(
      '{"Time":"2026-02-03T11:00:20","ENERGY":{"TotalStartTime":"2026-02-02T01:00:00","Total":14.622,"Yesterday":9.890,' +
        '"Today":4.732,"Period":35,"Power":430,"ApparentPower":430,"ReactivePower":0,"Factor":1.00,"Voltage":230,' +
        '"Current":1.870}}',
    );
  });

  it('keeps trailing zeros, and prints its local time correctly across a clock change', () => {
    const plug = tasmotaPlug({ name: 'p', tz: 'Europe/Berlin' });
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(plug, STEADY_HOME_START_MS))['tele/p/SENSOR']).toContain(
      '"Total":0.000,"Yesterday":0.000,"Today":0.000',
    );
    const summer = mapPayloadsByTopic(createMessagesOfSteadyHome(plug, Date.UTC(2026, 2, 29, 12)))['tele/p/SENSOR'];
    expect(summer).toContain('"Time":"2026-03-29T14:00:00"');
    // Only 13 hours have passed since midnight, because the clocks went forward.
    expect(summer).toContain('"Today":5.590');
  });

  it('sends its online state retained, and its telemetry not retained', () => {
    const plug = tasmotaPlug({ name: 'p', tz: 'UTC' });
    expect(plug.greeting(STEADY_HOME_NOW_MS)[0]).toEqual({ topic: 'tele/p/LWT', payload: 'Online', retain: true });
    expect(listRetainedTopics(createMessagesOfSteadyHome(plug))).toEqual([]);
  });
});

describe('a Shelly EM of the first generation', () => {
  it('writes one text per topic: totals in Wh with one decimal, energy in watt-minutes since boot', () => {
    const meter = shellyEmGen1({ name: 'cupboard' });
    expect(meter.nativeId).toMatch(/^shellyem-[0-9A-F]{6}$/);
    const base = `shellies/${meter.nativeId}`;
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(meter))[`${base}/emeter/0/energy`]).toBe('0');
    const sent = createMessagesOfSteadyHome(meter, STEADY_HOME_NOW_MS + 60_000);
    expect(mapPayloadsByTopic(sent)).toMatchObject({
      [`${base}/emeter/0/power`]: '430.00',
      [`${base}/emeter/0/total`]: '14629.5',
      [`${base}/emeter/0/total_returned`]: '0.0',
      [`${base}/emeter/0/energy`]: '430',
      [`${base}/emeter/1/total`]: '0.0',
    });
    expect(listRetainedTopics(sent)).toEqual([]);
    expect(mapPayloadsByTopic(meter.greeting(STEADY_HOME_NOW_MS))[`${base}/online`]).toBe('true');
  });
});

describe('a Shelly of the second generation', () => {
  const plug = () => shellyPmGen2({ name: 'dryer', prefix: 'cellar/dryer' });

  it('sends only changed keys with a time, and the whole component without a time', () => {
    const shelly = plug();
    const home = createSteadyHome(STEADY_HOME_NOW_MS + 10_000);
    const first = shelly.messages(home, STEADY_HOME_NOW_MS);
    expect(first.map((one) => one.topic)).toEqual([
      'cellar/dryer/events/rpc',
      'cellar/dryer/status/switch:0',
      'cellar/dryer/events/rpc',
      'cellar/dryer/status/switch:0',
    ]);
    expect(JSON.parse(first[2]?.payload as string)).toEqual({
      src: shelly.nativeId,
      dst: 'cellar/dryer/events',
      method: 'NotifyStatus',
      params: {
        ts: 1770112820,
        'switch:0': {
          id: 0,
          aenergy: { total: 14622.388, by_minute: [7167, 7167, 7166], minute_ts: 1770112800 },
        },
      },
    });
    const next = shelly.messages(home, STEADY_HOME_NOW_MS + 10_000);
    expect(JSON.parse(next[0]?.payload as string).params).toEqual({
      ts: 1770112830,
      'switch:0': { id: 0, apower: 2150, current: 9.348 },
    });
    // The device updates its energy only once a minute.
    expect(JSON.parse(next[1]?.payload as string)).toMatchObject({ apower: 2150, aenergy: { total: 14622.388 } });
    expect(shelly.messages(home, STEADY_HOME_NOW_MS + 20_000)).toEqual([]);
  });

  it('sends its online state retained, and sends no time until its clock is set', () => {
    const [online, connected] = plug().greeting(STEADY_HOME_NOW_MS);
    expect(online).toEqual({ topic: 'cellar/dryer/online', payload: 'true', retain: true });
    expect(JSON.parse(connected?.payload as string).params.ts).toBe(1.61);
  });
});

describe('a plug behind Z-Wave JS UI', () => {
  it('sends each value with its time, all retained', () => {
    const sent = createMessagesOfSteadyHome(zwavejsPlug({ node: 'Kitchen/Plug' }));
    expect(mapPayloadsByTopic(sent)).toEqual({
      'zwave/Kitchen/Plug/meter/endpoint_0/value/65537': `{"time":${STEADY_HOME_NOW_MS},"value":14.622}`,
      'zwave/Kitchen/Plug/meter/endpoint_0/value/66049': `{"time":${STEADY_HOME_NOW_MS},"value":430}`,
      'zwave/Kitchen/Plug/meter/endpoint_0/value/66561': `{"time":${STEADY_HOME_NOW_MS},"value":230.1}`,
    });
    expect(listRetainedTopics(sent)).toHaveLength(3);
  });
});

describe('a charger of evcc', () => {
  it('writes text without trailing zeros, a total in kWh, and a session in Wh that begins at 0', () => {
    const charger = evccLoadpoint({ root: 'evcc' });
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(charger, STEADY_HOME_START_MS))).toEqual({
      'evcc/loadpoints/1/chargePower': '430',
      'evcc/loadpoints/1/chargedEnergy': '0',
      'evcc/loadpoints/1/chargeTotalImport': '0',
    });
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(charger))).toMatchObject({
      'evcc/loadpoints/1/chargedEnergy': '14622.388',
      'evcc/loadpoints/1/chargeTotalImport': '14.622',
    });
  });
});

describe('a grid meter behind Venus OS', () => {
  it('sends hundredths of a kWh when they change, not retained', () => {
    const meter = victronGridMeter({ name: 'cabin' });
    expect(meter.nativeId).toMatch(/^[0-9a-f]{12}\/grid\/30$/);
    const sent = createMessagesOfSteadyHome(meter);
    expect(mapPayloadsByTopic(sent)).toEqual({
      [`N/${meter.nativeId}/Ac/Power`]: '{"value":430}',
      [`N/${meter.nativeId}/Ac/L1/Power`]: '{"value":430}',
      [`N/${meter.nativeId}/Ac/Energy/Forward`]: '{"value":14.62}',
    });
    expect(listRetainedTopics(sent)).toEqual([]);
    expect(createMessagesOfSteadyHome(meter, STEADY_HOME_NOW_MS + 1_000)).toEqual([]);
  });
});

describe('a go-e charger', () => {
  it('sends whole Wh, its session energy and sixteen values when they change', () => {
    const charger = goECharger({ name: 'carport' });
    const base = `go-eCharger/${charger.nativeId}`;
    expect(charger.nativeId).toMatch(/^\d{6}$/);
    const sent = mapPayloadsByTopic(createMessagesOfSteadyHome(charger));
    expect(sent).toMatchObject({ [`${base}/eto`]: '14622', [`${base}/wh`]: '0' });
    expect(JSON.parse(sent[`${base}/nrg`] as string)).toEqual([
      230, 0, 0, 0, 1.9, 0, 0, 430, 0, 0, 0, 430, 100, 0, 0, 0,
    ]);
    expect(createMessagesOfSteadyHome(charger)).toEqual([]);
  });
});
