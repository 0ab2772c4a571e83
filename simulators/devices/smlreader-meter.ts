import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * A German meter behind SMLReader, which publishes a text per OBIS code, without a time. Only the last will is retained. 1.8.0 is the
 * home's energy register in Wh with one decimal. All energy is in the second tariff.
 *
 * @param options.base Base topic that the owner has set.
 */
export function smlreaderMeter({ base = 'iot/smartmeter' }: { base?: string }): FamilyDevice {
  const sensor = `${base}/sensor/1`;
  return {
    family: 'smlreader',
    nativeId: sensor,
    greeting: () => [
      { topic: `${base}/info`, payload: 'Hello from 00C7551E, running SMLReader version 2.3.0.' },
      { topic: `${base}/LWT`, payload: 'Online', retain: true },
    ],
    messages(home, atMs) {
      const total = formatRegister(getRegisterAt(home, atMs), 'Wh', 1);
      const values = {
        '1-0:96.50.1/1': 'ISK',
        '1-0:96.1.0/255': '0a 01 49 53 4b 00 05 39 7f b1',
        '1-0:1.8.0/255': total,
        '1-0:2.8.0/255': '13.2',
        '1-0:1.8.1/255': '0.0',
        '1-0:2.8.1/255': '13.2',
        '1-0:1.8.2/255': total,
        '1-0:2.8.2/255': '0.0',
        '1-0:16.7.0/255': home.at(atMs).powerW.toFixed(1),
      };
      return Object.entries(values).map(([code, payload]) => ({ topic: `${sensor}/obis/${code}/value`, payload }));
    },
  };
}
