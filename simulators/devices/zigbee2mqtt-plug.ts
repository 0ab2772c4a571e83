import type { FamilyDevice, FamilyMessage } from './family-device.ts';
import { registerAt, registerText } from './register-text.ts';
import { bridgeGreeting } from './zigbee2mqtt-bridge.ts';

const VOLTS = 230;

/**
 * A Zigbee plug behind Zigbee2MQTT: no time, and each message has all attributes that the bridge remembers. The plug reports
 * power and energy one after the other, so where both changed, the first message has the new power beside the old energy.
 * `energy` is the home's register in kWh with two decimals, so 10 Wh a step, and reported at most every `energySeconds`.
 *
 * @param options.name Friendly name, which may contain slashes.
 * @param options.energySeconds Least seconds between reports of energy (default 0: whenever it changed).
 */
export function zigbee2mqttPlug(options: { name: string; energySeconds?: number }): FamilyDevice {
  const { name, energySeconds = 0 } = options;
  let cache: Record<string, unknown> = { linkquality: 156, power_on_behavior: 'previous', state: 'ON', voltage: VOLTS };
  let energyAtMs = Number.NEGATIVE_INFINITY;
  return {
    family: 'zigbee2mqtt',
    nativeId: name,
    greeting: () => bridgeGreeting(name),
    messages(home, atMs) {
      const sent: FamilyMessage[] = [];
      const report = (attributes: Record<string, unknown>) => {
        cache = { ...cache, ...attributes };
        const payload = JSON.stringify(Object.fromEntries(Object.entries(cache).sort()));
        sent.push({ topic: `zigbee2mqtt/${name}`, payload });
      };
      const { powerW } = home.at(atMs);
      if (cache.power !== powerW) report({ power: powerW, current: Math.round((powerW / VOLTS) * 100) / 100 });
      const energy = Number(registerText(registerAt(home, atMs), 'kWh', 2));
      if (cache.energy !== energy && atMs - energyAtMs >= energySeconds * 1000) {
        energyAtMs = atMs;
        report({ energy });
      }
      return sent;
    },
  };
}
