import { describe, expect, it } from 'vitest';
import { shellyEmGen1 } from '#simulators/devices/shelly-em-gen1.ts';
import { shellyPmGen2 } from '#simulators/devices/shelly-pm-gen2.ts';
import { tasmotaPlug } from '#simulators/devices/tasmota-plug.ts';
import { AT, payloads, retained, START, sendOnce, steadyHome } from '#test/support/steady-home.ts';

describe('a Tasmota plug', () => {
  it('writes kWh with three decimals, local time without a zone, and its own days', () => {
    const plug = tasmotaPlug({ name: 'tasmota_A1B2C3', tz: 'Europe/Berlin' });
    sendOnce(plug, AT - 300_000);
    expect(payloads(sendOnce(plug))['tele/tasmota_A1B2C3/SENSOR']).toBe(
      '{"Time":"2026-02-03T11:00:20","ENERGY":{"TotalStartTime":"2026-02-02T01:00:00","Total":14.622,"Yesterday":9.890,' +
        '"Today":4.732,"Period":35,"Power":430,"ApparentPower":430,"ReactivePower":0,"Factor":1.00,"Voltage":230,' +
        '"Current":1.870}}',
    );
  });

  it('keeps its zeros, and shows its wall clock through a change of clocks', () => {
    const plug = tasmotaPlug({ name: 'p', tz: 'Europe/Berlin' });
    expect(payloads(sendOnce(plug, START))['tele/p/SENSOR']).toContain('"Total":0.000,"Yesterday":0.000,"Today":0.000');
    const summer = payloads(sendOnce(plug, Date.UTC(2026, 2, 29, 12)))['tele/p/SENSOR'];
    expect(summer).toContain('"Time":"2026-03-29T14:00:00"');
    // 13 hours since midnight: the clocks went forward.
    expect(summer).toContain('"Today":5.590');
  });

  it('is online retained, its telemetry is not', () => {
    const plug = tasmotaPlug({ name: 'p', tz: 'UTC' });
    expect(plug.greeting(AT)[0]).toEqual({ topic: 'tele/p/LWT', payload: 'Online', retain: true });
    expect(retained(sendOnce(plug))).toEqual([]);
  });
});

describe('a Shelly EM of the first generation', () => {
  it('writes one text a topic: totals in Wh with one decimal, energy in watt-minutes since boot', () => {
    const meter = shellyEmGen1({ name: 'cupboard' });
    expect(meter.nativeId).toMatch(/^shellyem-[0-9A-F]{6}$/);
    const base = `shellies/${meter.nativeId}`;
    expect(payloads(sendOnce(meter))[`${base}/emeter/0/energy`]).toBe('0');
    const sent = sendOnce(meter, AT + 60_000);
    expect(payloads(sent)).toMatchObject({
      [`${base}/emeter/0/power`]: '430.00',
      [`${base}/emeter/0/total`]: '14629.5',
      [`${base}/emeter/0/total_returned`]: '0.0',
      [`${base}/emeter/0/energy`]: '430',
      [`${base}/emeter/1/total`]: '0.0',
    });
    expect(retained(sent)).toEqual([]);
    expect(payloads(meter.greeting(AT))[`${base}/online`]).toBe('true');
  });
});

describe('a Shelly of the second generation', () => {
  const plug = () => shellyPmGen2({ name: 'dryer', prefix: 'cellar/dryer' });

  it('tells only what changed, with a time, and the whole component without one', () => {
    const shelly = plug();
    const home = steadyHome(AT + 10_000);
    const first = shelly.messages(home, AT);
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
    const next = shelly.messages(home, AT + 10_000);
    expect(JSON.parse(next[0]?.payload as string).params).toEqual({
      ts: 1770112830,
      'switch:0': { id: 0, apower: 2150, current: 9.348 },
    });
    // In the same minute the energy is not counted anew.
    expect(JSON.parse(next[1]?.payload as string)).toMatchObject({ apower: 2150, aenergy: { total: 14622.388 } });
    expect(shelly.messages(home, AT + 20_000)).toEqual([]);
  });

  it('is online retained, and has no clock at first', () => {
    const [online, connected] = plug().greeting(AT);
    expect(online).toEqual({ topic: 'cellar/dryer/online', payload: 'true', retain: true });
    expect(JSON.parse(connected?.payload as string).params.ts).toBe(1.61);
  });
});
