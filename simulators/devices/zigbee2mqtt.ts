import { type FamilyDevice, type FamilyMessage, registerAt, registerText } from './family-device.ts';

/** What Zigbee2MQTT says of itself and of one device when it connects; availability is something its owner turned on. */
function bridgeGreeting(friendlyName: string): FamilyMessage[] {
  return [
    { topic: 'zigbee2mqtt/bridge/state', payload: '{"state":"online"}', retain: true },
    { topic: `zigbee2mqtt/${friendlyName}/availability`, payload: '{"state":"online"}', retain: true },
  ];
}

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

/**
 * A thermostatic radiator valve behind Zigbee2MQTT: no time. `local_temperature` is in steps of 0.1 °C, the setpoint in those
 * of the home, `pi_heating_demand` in whole percent of the valve's way. `system_mode` is what was chosen, not what it does.
 *
 * @param options.name Friendly name, which may contain slashes.
 */
export function zigbee2mqttTrv({ name }: { name: string }): FamilyDevice {
  return {
    family: 'zigbee2mqtt',
    nativeId: name,
    greeting: () => bridgeGreeting(name),
    messages(home, atMs) {
      const { temperatureC, setpointC, heating } = home.at(atMs).room;
      const payload = JSON.stringify({
        battery: 87,
        child_lock: 'UNLOCK',
        linkquality: 112,
        local_temperature: Math.round(temperatureC * 10) / 10,
        local_temperature_calibration: -0.5,
        occupied_heating_setpoint: setpointC,
        pi_heating_demand: heating ? 100 : 0,
        running_state: heating ? 'heat' : 'idle',
        system_mode: 'heat',
      });
      return [{ topic: `zigbee2mqtt/${name}`, payload }];
    },
  };
}
