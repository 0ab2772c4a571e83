import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * vzlogger with a meter that it reads by SML. It publishes each value in Wh or W with its time, as JSON: `chn0` is the home's import
 * register, `chn1` its export register, and `chn2` its power.
 *
 * @param options.prefix Topic prefix.
 */
export function vzloggerMeter({ prefix = 'vzlogger/data' }: { prefix?: string } = {}): FamilyDevice {
  const identifiers = ['1-0:1.8.0*255', '1-0:2.8.0*255', '1-0:16.7.0*255'];
  return {
    family: 'vzlogger',
    nativeId: prefix,
    greeting: () =>
      identifiers.flatMap((id, index) => [
        { topic: `${prefix}/chn${index}/id`, payload: id },
        { topic: `${prefix}/chn${index}/uuid`, payload: `a301d8d0-903b-1234-94bb-d943d061b6a${index}` },
      ]),
    messages(home, atMs) {
      const values = [formatRegister(getRegisterAt(home, atMs), 'Wh', 1), '0', String(home.at(atMs).powerW)];
      return values.map((value, index) => ({
        topic: `${prefix}/chn${index}/raw`,
        payload: `{ "timestamp": ${atMs}, "value": ${value} }`,
      }));
    },
  };
}
