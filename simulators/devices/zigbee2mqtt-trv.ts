import type { FamilyDevice } from './family-device.ts';
import { bridgeGreeting } from './zigbee2mqtt-bridge.ts';

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
