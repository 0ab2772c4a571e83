import { createHardwareId, type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * A meter behind an amsreader with classic JSON. `tPI` is the home's energy register in kWh with three decimals; `t` is the time in Unix
 * seconds. Quantities that the meter lacks are 0.
 *
 * @param options.topic Topic that the owner has chosen. It is also the name of the device.
 */
export function amsreaderMeter({ topic }: { topic: string }): FamilyDevice {
  const mac = createHardwareId(topic, 12).toUpperCase().match(/../g)?.join(':') ?? '';
  return {
    family: 'amsreader',
    nativeId: topic,
    greeting: () => [],
    messages(home, atMs) {
      const seconds = Math.floor(atMs / 1000);
      const total = formatRegister(getRegisterAt(home, atMs), 'kWh', 3);
      const power = Math.round(home.at(atMs).powerW);
      // Numbers are formatted like the firmware's `snprintf`, because JSON.stringify would drop trailing zeros.
      const payload = `{"id":"${mac}","name":"${topic}","up":${Math.floor((atMs - home.installedAtMs) / 1000)},"t":${seconds},"vcc":3.310,"rssi":-61,"temp":-127.00,"data":{"lv":"Kamstrup_V0001","meterId":"5706567000000000","type":"6841131BN243101040","P":${power},"Q":0,"PO":0,"QO":12,"I1":1.80,"I2":0.00,"I3":0.00,"U1":231.00,"U2":230.00,"U3":229.00,"tPI":${total},"tPIT1":0.000,"tPIT2":0.000,"tPO":0.000,"tPOT1":0.000,"tPOT2":0.000,"tQI":0.120,"tQO":77.104,"rtc":${seconds}},"realtime":{"h":0.120,"d":2.20,"m":33.1,"t":5,"x":1.29,"he":0.000,"de":0.00,"me":0.0,"peaks":[1.29]}}`;
      return [{ topic, payload }];
    },
  };
}
