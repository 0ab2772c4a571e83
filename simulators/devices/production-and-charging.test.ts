import { describe, expect, it } from 'vitest';
import { openDtuInverter } from '#simulators/devices/opendtu-inverter.ts';
import { warpCharger } from '#simulators/devices/warp-charger.ts';
import {
  createMessagesOfSteadyHome,
  listRetainedTopics,
  mapPayloadsByTopic,
  STEADY_HOME_NOW_MS,
} from '#test/support/steady-home.ts';

describe('an inverter behind OpenDTU', () => {
  it('writes one retained text per topic: the grid side in kWh, its inputs, and totals', () => {
    const inverter = openDtuInverter({ name: 'balcony' });
    const base = `solar/${inverter.nativeId}`;
    createMessagesOfSteadyHome(inverter, STEADY_HOME_NOW_MS - 300_000);
    const sent = createMessagesOfSteadyHome(inverter);
    expect(mapPayloadsByTopic(sent)).toMatchObject({
      [`${base}/0/yieldtotal`]: '14.622',
      [`${base}/0/yieldday`]: '35',
      [`${base}/0/power`]: '430.0',
      [`${base}/0/powerdc`]: '452.6',
      [`${base}/1/yieldtotal`]: '7.311',
      [`${base}/status/reachable`]: '1',
      'solar/ac/yieldtotal': '14.622',
    });
    expect(listRetainedTopics(sent)).toHaveLength(sent.length);
    expect(inverter.nativeId).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('a WARP charger', () => {
  it('sends values without names, a list of their ids, and the same values on the topic of earlier firmware', () => {
    const charger = warpCharger({ prefix: 'warp2/AbCd' });
    expect(mapPayloadsByTopic(charger.greeting(STEADY_HOME_NOW_MS))['warp2/AbCd/meters/0/value_ids']).toBe(
      '[0,74,209,210,211,212]',
    );
    createMessagesOfSteadyHome(charger, STEADY_HOME_NOW_MS - 300_000);
    expect(mapPayloadsByTopic(createMessagesOfSteadyHome(charger))).toMatchObject({
      'warp2/AbCd/meters/0/values': '[230.1,430,14.622,0.035,0,null]',
      'warp2/AbCd/meter/values': '{"power":430,"energy_rel":0.035,"energy_abs":14.622}',
    });
  });
});
