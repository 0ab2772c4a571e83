import type { DeviceLogin } from './device.ts';
import type { ServiceAddress } from './service-address.ts';

/** A first message that says what such a device would say. */
export function examplePayload(type: string): string {
  return type === 'thermostat'
    ? '{"temperature_c": 20.4, "setpoint_c": 21, "heating": true}'
    : '{"energy_total_kwh": 4711.235, "power_w": 412}';
}

/** Lines for a terminal that publish a reading: without TLS on the service's own machine, and with it. */
export function publishLines(
  login: DeviceLogin,
  payload: string,
  { host, tlsPort, plainPort, isLocal }: ServiceAddress,
): { plain: string | null; tls: string } {
  const rest = `-u ${login.username} -P '${login.password}' -q 1 -t ${login.topic} -m '${payload}'`;
  // The service's own certificate lies in its folder; whoever is elsewhere needs one of an authority anyway.
  const trust = isLocal ? '--cafile data/tls/cert.pem' : '--capath /etc/ssl/certs';
  return {
    plain: isLocal ? `mosquitto_pub -h 127.0.0.1 -p ${plainPort} ${rest}` : null,
    tls: `mosquitto_pub -h ${host} -p ${tlsPort} ${trust} ${rest}`,
  };
}
