import type { CreatedGateway } from '#clients/typescript/client.ts';
import type { Session } from '../../session.ts';
import { words } from '../../words/words.ts';
import type { DeviceLogin as Login } from './device.ts';

/** Address at which devices reach the service's MQTT broker. */
export interface ServiceAddress {
  /** Host name of the broker for devices. */
  host: string;
  tlsPort: number;
  plainPort: number;
  /**
   * Host to which programs on the user's own computer connect without TLS. Null if the broker does not accept such connections from there,
   * or if its ports are unknown.
   */
  plainHost: string | null;
  /** Whether devices in other networks may also connect without TLS. */
  isPlainOpen: boolean;
  /** Whether devices need a copy of the service's certificate, because no public authority has signed it. */
  needsCertificate: boolean;
  /** Whether the ports are known. For an external broker, the usual ports are assumed. */
  isKnown: boolean;
}

export const CERTIFICATE_FILE = 'energy-service.pem';

/**
 * Returns the address of the MQTT broker for devices. `hostname`: host in the address of the page. `mqtt`: settings of the broker in the
 * session.
 */
export function getServiceAddress(hostname: string, mqtt: Session['mqtt']): ServiceAddress {
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

/** Returns `host:port`, with an IPv6 address in brackets. */
const hostAndPort = ({ host, tlsPort }: ServiceAddress): string =>
  host.includes(':') ? `[${host}]:${tlsPort}` : `${host}:${tlsPort}`;

/** Topics that a bridge from the household's broker forwards. */
const BRIDGED = [
  ...['tele/#', 'stat/#', '+/events/rpc', 'dsmr/#', 'wmbusmeters/+', 'rtl_433/#', 'rtlamr/#', 'glow/#', 'spBv1.0/#'],
  ...['homeassistant/#', 'shellies/#', '+/status/#', '+/online', 'zigbee2mqtt/#', 'DSMR-API/#', 'emon/#'],
  ...['OTGW/value/#', 'homie/#', 'openevse/#', '+/total_energy', '+/watthour', '+/wh', 'mbmd/#', 'vzlogger/#'],
  ...['device/+/realtime', 'energy/growatt/#', 'energy/meter', 'energy/solar', 'solar/#', 'inverter/#'],
  ...['solaredge/#', '+/+/meters/+/+', '+/+/meter/values', 'home/+/RTL_433toMQTT/#', 'v3/+/devices/+/up'],
  ...['application/+/device/+/event/up', '+/sensor/#', '+/climate/#', 'zwave/#', 'evcc/#', 'N/+/grid/#'],
  ...['N/+/genset/#', 'N/+/pvinverter/#', 'N/+/acload/#', 'N/+/heatpump/#', 'N/+/evcharger/#', 'N/+/battery/#'],
  ...[
    'N/+/solarcharger/#',
    'N/+/vebus/#',
    'N/+/multi/#',
    'N/+/inverter/#',
    'N/+/temperature/#',
    'go-eCharger/#',
    'wattpilot/properties/eto/state',
    'wattpilot/+/properties/eto/state',
    'ebusd/#',
  ],
  ...['sensors/power/p1meter/#', 'p1monitor/#', 'iot/smartmeter/#', 'openWB/counter/get/hierarchy'],
  ...['openWB/counter/+/get/+', 'openWB/pv/+/get/+', 'openWB/bat/+/get/+', 'openWB/chargepoint/+/get/imported'],
  ...['openWB/chargepoint/+/get/exported', 'openWB/chargepoint/+/get/power', 'openWB/chargepoint/+/get/powers'],
  ...['openWB/evu/+', 'openWB/pv/+', 'openWB/housebattery/+', 'openWB/lp/+/kWhCounter', 'openWB/lp/+/W'],
  ...['openWB/Verbraucher/+/+', 'ems-esp/#', 'panasonic_heat_pump/#', 'device/status/#', 'hm/status/#', 'deye/#'],
  ...['envoy/json', 'GivEnergy/#', 'solar_assistant/total/#', 'hame_energy/#', 'marstek_energy/#'],
  ...['hm2mqtt/+/device/+/data', 'domoticz/out', '/+/+/properties/report', 'zendure2mqtt/#'],
  ...['huawei-solar', 'huawei_solar_modbus/#', 'Huawei/#', 'SunGather/#', 'sungrowmodbus2mqtt/#', 'hms800wt2/#'],
  ...['hms/#', 'home/solar/+', 'hoymiles-ms-a2/#', 'lxp/#', '+/EVImportActiveEnergy', '+/EVExportActiveEnergy'],
  ...['+/EVChargePower', '+/MainsImportActiveEnergy', '+/MainsExportActiveEnergy', 'e3dc/#', 'sdm630/#'],
  ...['p1ib/sensor_state', 'everblu/cyble/#', 'extapi/data/#'],
  ...['teleinfo/#', 'teleinfokit/#', 'youless/#', '+/energycounter/get', '+/power/get'],
];

type GatewayCredentials = CreatedGateway['mqtt'];

/** Returns the lines for the household's mosquitto.conf with which mosquitto forwards messages to the service. */
export function formatMosquittoBridge(
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

/** Returns settings for devices that connect to the service directly, by device family. Their topics begin with the gateway's prefix. */
export function listDeviceSettings(
  login: GatewayCredentials,
  address: ServiceAddress,
): { name: string; text: string }[] {
  const { host, tlsPort, needsCertificate } = address;
  const { username, password, topic_prefix } = login;
  const shelly = {
    enable: true,
    server: hostAndPort(address),
    user: username,
    pass: password,
    // Selects the certificate authorities that the device trusts: those that the user has uploaded (Shelly.PutUserCA), or the built-in
    // ones.
    ssl_ca: needsCertificate ? 'user_ca.pem' : 'ca.pem',
    topic_prefix: `${topic_prefix}shelly-desk`,
    rpc_ntf: true,
  };
  return [
    {
      name: words().devices.gateways.tasmota,
      // With Tasmota's SetOption132, the device trusts the first server to which it connects, instead of verifying the certificate.
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

/** Returns terminal commands that publish a reading, with TLS and, if possible, without. */
export function formatPublishCommands(
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
