import { type FamilyDevice, type FamilyMessage, formatRegister, getRegisterAt } from './family-device.ts';

/** Messages that Zigbee2MQTT publishes when it connects to the broker: its own state, and the availability of one device. */
function bridgeGreeting(friendlyName: string): FamilyMessage[] {
  return [
    { topic: 'zigbee2mqtt/bridge/state', payload: '{"state":"online"}', retain: true },
    { topic: `zigbee2mqtt/${friendlyName}/availability`, payload: '{"state":"online"}', retain: true },
  ];
}

const VOLTS = 230;

/**
 * A Zigbee plug behind Zigbee2MQTT. Its messages have no time, and each contains all cached attributes. Power and energy are reported
 * separately, so a message may contain the new power and the previous energy. `energy` is the home's energy register in kWh with two
 * decimals.
 *
 * @param options.name Friendly name, which may contain slashes.
 * @param options.energySeconds Minimum seconds between reports of energy (default 0: at every change).
 */
export function zigbee2mqttPlug(options: { name: string; energySeconds?: number }): FamilyDevice {
  const { name, energySeconds = 0 } = options;
  let cache: Record<string, unknown> = { linkquality: 156, power_on_behavior: 'previous', state: 'ON', voltage: VOLTS };
  let energyAtMs = Number.NEGATIVE_INFINITY;
  const cached = (): FamilyMessage => ({
    topic: `zigbee2mqtt/${name}`,
    payload: JSON.stringify(Object.fromEntries(Object.entries(cache).sort())),
  });
  return {
    family: 'zigbee2mqtt',
    nativeId: name,
    // When the bridge connects, it publishes the cached values of each device.
    greeting: () => (cache.energy === undefined ? bridgeGreeting(name) : [...bridgeGreeting(name), cached()]),
    messages(home, atMs) {
      const sent: FamilyMessage[] = [];
      const report = (attributes: Record<string, unknown>) => {
        cache = { ...cache, ...attributes };
        sent.push(cached());
      };
      const { powerW } = home.at(atMs);
      if (cache.power !== powerW) report({ power: powerW, current: Math.round((powerW / VOLTS) * 100) / 100 });
      const energy = Number(formatRegister(getRegisterAt(home, atMs), 'kWh', 2));
      if (cache.energy !== energy && atMs - energyAtMs >= energySeconds * 1000) {
        energyAtMs = atMs;
        report({ energy });
      }
      return sent;
    },
  };
}

/**
 * A thermostatic radiator valve behind Zigbee2MQTT, without times. `local_temperature` is in steps of 0.1 °C, and `pi_heating_demand` is
 * the opening of the valve in percent. `system_mode` is the selected mode, not the current activity.
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
