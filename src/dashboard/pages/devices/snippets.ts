import type { CreatedGateway } from '#clients/typescript/client.ts';
import type { Session } from '../../session.ts';
import { words } from '../../words/words.ts';
import type { DeviceLogin as Login } from './device.ts';

/** Where devices reach this service. */
export interface ServiceAddress {
  /** As devices elsewhere name it. */
  host: string;
  tlsPort: number;
  plainPort: number;
  /** Where it answers without TLS to who looks at this page; null where it does not, or nobody here knows. */
  plainHost: string | null;
  /** Whether devices elsewhere may go without TLS, too. */
  isPlainOpen: boolean;
  /** Whether who connects needs a copy of the service's certificate. */
  needsCertificate: boolean;
  /** Whether the service knows the ports: with a broker of its own it does, else they are the usual ones. */
  isKnown: boolean;
}

/** The name that the certificate is downloaded by. */
export const CERTIFICATE_FILE = 'energy-service.pem';

/** `hostname`: of the page's address. `mqtt`: what the service says of the broker. */
export function serviceAddress(hostname: string, mqtt: Session['mqtt']): ServiceAddress {
  const { host, ports, is_plain_open: isPlainOpen } = mqtt;
  const isHere = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/.test(hostname);
  const plainHost = isPlainOpen ? host : isHere ? '127.0.0.1' : null;
  return {
    host,
    tlsPort: ports?.tls ?? 8883,
    plainPort: ports?.plain ?? 1883,
    plainHost: ports && plainHost,
    isPlainOpen,
    needsCertificate: mqtt.needs_certificate,
    isKnown: ports !== null,
  };
}

/** `host:port`; an IPv6 address in brackets. */
const hostAndPort = ({ host, tlsPort }: ServiceAddress): string =>
  host.includes(':') ? `[${host}]:${tlsPort}` : `${host}:${tlsPort}`;

/** Topics of the families; deploy/DEVICES.md lists them, and a test holds them to it. */
const BRIDGED = [
  ...['tele/#', 'stat/#', '+/events/rpc', 'dsmr/#', 'wmbusmeters/+', 'rtl_433/#', 'rtlamr/#', 'glow/#', 'spBv1.0/#'],
  ...['homeassistant/#', 'shellies/#', '+/status/#', '+/online', 'zigbee2mqtt/#', 'DSMR-API/#', 'emon/#'],
  ...['OTGW/value/#', 'homie/#', 'openevse/#', '+/total_energy', '+/watthour', '+/wh', 'mbmd/#', 'vzlogger/#'],
  ...['device/+/realtime', 'energy/growatt/#', 'energy/meter', 'energy/solar', 'solar/#', 'inverter/#'],
  ...['solaredge/#', '+/+/meters/+/+', '+/+/meter/values', 'home/+/RTL_433toMQTT/#', 'v3/+/devices/+/up'],
  ...['application/+/device/+/event/up', '+/sensor/#', '+/climate/#', 'zwave/#', 'evcc/#', 'N/+/grid/#'],
  ...['N/+/genset/#', 'N/+/pvinverter/#', 'N/+/acload/#', 'N/+/heatpump/#', 'N/+/evcharger/#', 'N/+/battery/#'],
  ...['N/+/solarcharger/#', 'N/+/vebus/#', 'N/+/temperature/#', 'go-eCharger/#', 'ebusd/#'],
  ...['sensors/power/p1meter/#', 'p1monitor/#', 'iot/smartmeter/#', 'openWB/counter/get/hierarchy'],
  ...['openWB/counter/+/get/+', 'openWB/pv/+/get/+', 'openWB/bat/+/get/+', 'openWB/chargepoint/+/get/imported'],
  ...['openWB/chargepoint/+/get/exported', 'openWB/chargepoint/+/get/power', 'openWB/chargepoint/+/get/powers'],
  ...['openWB/evu/+', 'openWB/pv/+', 'openWB/housebattery/+', 'openWB/lp/+/kWhCounter', 'openWB/lp/+/W'],
  ...['openWB/Verbraucher/+/+', 'ems-esp/#', 'panasonic_heat_pump/#'],
];

type GatewayCredentials = CreatedGateway['mqtt'];

/** For the household's mosquitto.conf. */
export function mosquittoBridge(
  { username, password, topic_prefix }: GatewayCredentials,
  address: ServiceAddress,
): string {
  const topics = BRIDGED.map((name) => `topic ${name} out 1 "" ${topic_prefix}`);
  return `persistence true
max_queued_messages 0

connection energy
address ${hostAndPort(address)}
${address.needsCertificate ? `bridge_cafile /etc/mosquitto/certs/${CERTIFICATE_FILE}` : 'bridge_capath /etc/ssl/certs'}
remote_username ${username}
remote_password ${password}
cleansession false
notifications false
try_private false
# While the line is down they wait (1).
${topics.join('\n')}`;
}

/** Settings of devices that publish below the prefix by themselves, by what they are for. */
export function deviceSettings(login: GatewayCredentials, address: ServiceAddress): { name: string; text: string }[] {
  const { host, tlsPort, needsCertificate } = address;
  const { username, password, topic_prefix } = login;
  const shelly = {
    enable: true,
    server: hostAndPort(address),
    user: username,
    pass: password,
    // The device's own list of authorities, or what was uploaded to it (Shelly.PutUserCA).
    ssl_ca: needsCertificate ? 'user_ca.pem' : 'ca.pem',
    topic_prefix: `${topic_prefix}shelly-desk`,
    rpc_ntf: true,
  };
  return [
    {
      name: words().devices.gateways.tasmota,
      // SetOption132: it keeps the fingerprint of the first server that it meets, in place of asking an authority.
      text: `Backlog ${needsCertificate ? 'SetOption132 1; ' : ''}MqttHost ${host}; MqttPort ${tlsPort}; MqttUser ${username}; MqttPassword ${password}; FullTopic ${topic_prefix}%prefix%/%topic%/`,
    },
    {
      name: 'Zigbee2MQTT (configuration.yaml)',
      text: `mqtt:
  server: mqtts://${hostAndPort(address)}
${needsCertificate ? `  ca: /app/data/${CERTIFICATE_FILE}\n` : ''}  user: ${username}
  password: ${password}
  base_topic: ${topic_prefix}zigbee2mqtt`,
    },
    {
      name: 'ESPHome',
      text: `mqtt:
  broker: ${host}
  port: ${tlsPort}
${needsCertificate ? `  certificate_authority: !secret energy_service_pem\n` : ''}  username: ${username}
  password: ${password}
  topic_prefix: ${topic_prefix}meter
  discovery_prefix: ${topic_prefix}homeassistant`,
    },
    {
      name: words().devices.gateways.shelly,
      text: JSON.stringify({ config: shelly }, null, 2),
    },
  ];
}

/** Lines for a terminal that publish a reading: without TLS where that is possible from here, and with it. */
export function publishLines(
  login: Login,
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
