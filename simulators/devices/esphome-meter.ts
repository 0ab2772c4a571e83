import {
  createHardwareId,
  type FamilyDevice,
  type FamilyMessage,
  formatRegister,
  getRegisterAt,
} from './family-device.ts';

/**
 * A meter with ESPHome that announces itself to Home Assistant. Its states are retained texts without a time; only the discovery messages
 * contain the units. The energy is the home's energy register in kWh with three decimals or in whole Wh, as a 32-bit float.
 *
 * @param options.name Node name, such as `meter-cupboard`.
 * @param options.unit Unit of the energy (default kWh).
 */
export function esphomeMeter({ name, unit = 'kWh' }: { name: string; unit?: 'kWh' | 'Wh' }): FamilyDevice {
  const mac = createHardwareId(name, 12);
  const decimals = unit === 'kWh' ? 3 : 0;
  const stateTopic = (object: string) => `${name}/sensor/${object}/state`;
  const discovery = (object: string, label: string, about: Record<string, string>): FamilyMessage => ({
    topic: `homeassistant/sensor/${name}/${object}/config`,
    payload: JSON.stringify({
      ...about,
      name: label,
      stat_t: stateTopic(object),
      avty_t: `${name}/status`,
      uniq_id: `${mac}-sensor-${createHardwareId(`${name} ${object}`, 8)}`,
      dev: {
        ids: mac,
        name,
        sw: '2025.2.0 (config hash 0x5a1f03c2)',
        mdl: 'esp32dev',
        mf: 'Espressif',
        cns: [['mac', mac]],
      },
    }),
    retain: true,
  });
  return {
    family: 'esphome',
    nativeId: name,
    greeting: () => [
      { topic: `${name}/status`, payload: 'online', retain: true },
      discovery('power', 'Power', { dev_cla: 'power', unit_of_meas: 'W', stat_cla: 'measurement' }),
      discovery('total_energy', 'Total energy', {
        dev_cla: 'energy',
        unit_of_meas: unit,
        stat_cla: 'total_increasing',
      }),
    ],
    messages(home, atMs) {
      const energy = Math.fround(Number(formatRegister(getRegisterAt(home, atMs), unit, decimals)));
      return [
        { topic: stateTopic('power'), payload: home.at(atMs).powerW.toFixed(1), retain: true },
        { topic: stateTopic('total_energy'), payload: energy.toFixed(decimals), retain: true },
      ];
    },
  };
}
