import type { DeviceLogin } from './device.ts';
import { CERTIFICATE_FILE, type ServiceAddress } from './service-address.ts';

/** A first message that says what such a device would say. */
export function examplePayload(type: string): string {
  return type === 'thermostat'
    ? '{"temperature_c": 20.4, "setpoint_c": 21, "heating": true}'
    : '{"energy_total_kwh": 4711.235, "power_w": 412}';
}

/** Lines for a terminal that publish a reading: without TLS where that is possible from here, and with it. */
export function publishLines(
  login: DeviceLogin,
  payload: string,
  { host, tlsPort, plainHost, plainPort, needsCertificate }: ServiceAddress,
): { plain: string | null; tls: string } {
  const rest = `-u ${login.username} -P '${login.password}' -q 1 -t ${login.topic} -m '${payload}'`;
  const trust = needsCertificate ? `--cafile ${CERTIFICATE_FILE}` : '--capath /etc/ssl/certs';
  return {
    plain: plainHost && `mosquitto_pub -h ${plainHost} -p ${plainPort} ${rest}`,
    tls: `mosquitto_pub -h ${host} -p ${tlsPort} ${trust} ${rest}`,
  };
}
