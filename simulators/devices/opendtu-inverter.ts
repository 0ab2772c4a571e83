import {
  createHardwareId,
  type FamilyDevice,
  type FamilyMessage,
  formatRegister,
  getRegisterAt,
} from './family-device.ts';

/** Efficiency of the inverter: its power on the grid side, divided by the power of the panels. */
const EFFICIENCY = 0.95;

/**
 * A micro-inverter with two inputs behind OpenDTU, which publishes one retained text per topic, without a time. `0/yieldtotal` is the
 * home's energy register in kWh, used as the production. Each input has half of this energy. `yieldday` counts the Wh since the first call
 * of `messages`.
 *
 * @param options.name Seed of the serial number.
 * @param options.base Base topic (default `solar`).
 */
export function openDtuInverter({ name, base = 'solar' }: { name: string; base?: string }): FamilyDevice {
  const serial = createHardwareId(name, 12);
  let firstAsked: number | undefined;
  const retained = (topic: string, payload: string): FamilyMessage => ({
    topic: `${base}/${topic}`,
    payload,
    retain: true,
  });
  return {
    family: 'opendtu',
    nativeId: serial,
    greeting: () => [retained('dtu/status', 'online'), retained(`${serial}/name`, name)],
    messages(home, atMs) {
      const total = getRegisterAt(home, atMs);
      firstAsked ??= total;
      const { powerW } = home.at(atMs);
      const day = String(Math.floor((total - firstAsked) / 1_000));
      const sides = [
        ['0', total, powerW],
        ['1', total / 2, powerW / 2],
        ['2', total / 2, powerW / 2],
      ] as const;
      return [
        retained(`${serial}/status/reachable`, '1'),
        retained(`${serial}/status/producing`, powerW > 0 ? '1' : '0'),
        retained(`${serial}/status/last_update`, String(Math.floor(atMs / 1_000))),
        retained(`${serial}/status/limit_absolute`, '600.00'),
        ...sides.flatMap(([side, register, watts]) => [
          retained(`${serial}/${side}/voltage`, side === '0' ? '230.10' : '38.20'),
          retained(`${serial}/${side}/power`, watts.toFixed(1)),
          retained(`${serial}/${side}/yieldtotal`, formatRegister(register, 'kWh', 3)),
          retained(`${serial}/${side}/yieldday`, day),
        ]),
        retained(`${serial}/0/powerdc`, (powerW / EFFICIENCY).toFixed(1)),
        retained(`${serial}/0/temperature`, '31.4'),
        retained('ac/power', powerW.toFixed(1)),
        retained('ac/yieldtotal', formatRegister(total, 'kWh', 3)),
        retained('ac/yieldday', day),
        retained('ac/is_valid', '1'),
      ];
    },
  };
}
