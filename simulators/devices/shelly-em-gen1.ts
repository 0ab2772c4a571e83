import {
  createHardwareId,
  type FamilyDevice,
  type FamilyMessage,
  formatRegister,
  getRegisterAt,
} from './family-device.ts';

/** Values of a current clamp that is not attached to a wire. The device publishes them like those of the other clamp. */
const IDLE = { power: '0.00', reactive_power: '0.00', pf: '0.00', voltage: '230.12', total: '0.0', energy: '0' };

/**
 * A Shelly EM of the first generation: one text per topic, without a time. `emeter/0/total` is the home's energy register in Wh with one
 * decimal. `emeter/0/energy` counts watt-minutes since the first call of `messages`, and is no register. Nothing is connected to
 * `emeter/1`.
 *
 * @param options.name Seed of the hardware id.
 */
export function shellyEmGen1({ name }: { name: string }): FamilyDevice {
  const mac = createHardwareId(name, 12).toUpperCase();
  const id = `shellyem-${mac.slice(6)}`;
  const base = `shellies/${id}`;
  let atBoot: number | undefined;
  const channel = (index: number, values: Record<string, string>): FamilyMessage[] =>
    Object.entries({ ...values, total_returned: '0.0', returned_energy: '0' }).map(([key, payload]) => ({
      topic: `${base}/emeter/${index}/${key}`,
      payload,
    }));
  return {
    family: 'shelly-gen1',
    nativeId: id,
    greeting() {
      const announcement = {
        id,
        model: 'SHEM',
        mac,
        ip: '192.168.1.32',
        new_fw: false,
        fw_ver: '20230913-112234/v1.14.0',
      };
      return [
        { topic: `${base}/online`, payload: 'true' },
        { topic: 'shellies/announce', payload: JSON.stringify(announcement) },
        { topic: `${base}/announce`, payload: JSON.stringify(announcement) },
      ];
    },
    messages(home, atMs) {
      const register = getRegisterAt(home, atMs);
      atBoot ??= register;
      const { powerW } = home.at(atMs);
      return [
        { topic: `${base}/relay/0`, payload: 'off' },
        ...channel(0, {
          power: powerW.toFixed(2),
          reactive_power: '0.00',
          pf: '1.00',
          voltage: '230.12',
          total: formatRegister(register, 'Wh', 1),
          // 1 Wh is 60 watt-minutes.
          energy: String(Math.floor(((register - atBoot) * 60) / 1000)),
        }),
        ...channel(1, IDLE),
      ];
    },
  };
}
