import { createHardwareId, type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * A charger with the OpenEVSE firmware 5: one text per topic, without a time. `total_energy` is the home's energy register in kWh with six
 * decimals, `watthour` the same in Wh with two.
 *
 * @param options.name Seed of the hardware id.
 * @param options.base Base topic; default is the host name.
 */
export function openevseCharger({ name, base }: { name: string; base?: string }): FamilyDevice {
  const id = createHardwareId(name, 12).toLowerCase();
  const short = id.slice(-4);
  const host = `openevse-${short}`;
  const below = base ?? host;
  let atStart: number | undefined;
  return {
    family: 'openevse',
    nativeId: below,
    greeting: () => [
      {
        topic: `openevse/announce/${short}`,
        payload: JSON.stringify({ state: 'connected', id, name: host, mqtt: below, http: 'http://192.168.1.43/' }),
        retain: true,
      },
    ],
    messages(home, atMs) {
      const register = getRegisterAt(home, atMs);
      atStart ??= register;
      const { powerW } = home.at(atMs);
      const sessionWattHours = (register - atStart) / 1_000;
      const payloads = {
        amp: String(Math.round((powerW / 230) * 1_000)),
        voltage: '230',
        power: String(powerW),
        temp: '267',
        temp2: 'false',
        state: powerW > 0 ? '3' : '2',
        session_energy: sessionWattHours.toFixed(2),
        total_energy: formatRegister(register, 'kWh', 6),
        total_day: (sessionWattHours / 1_000).toFixed(3),
        wattsec: String(Math.round(sessionWattHours * 3_600)),
        watthour: formatRegister(register, 'Wh', 2),
      };
      return Object.entries(payloads).map(([key, payload]) => ({ topic: `${below}/${key}`, payload }));
    },
  };
}
