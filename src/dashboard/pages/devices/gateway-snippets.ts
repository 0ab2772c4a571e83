import type { CreatedGateway } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';
import { CERTIFICATE_FILE, hostAndPort, type ServiceAddress } from './service-address.ts';

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

type Login = CreatedGateway['mqtt'];

/** For the household's mosquitto.conf. */
export function mosquittoBridge({ username, password, topic_prefix }: Login, address: ServiceAddress): string {
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
export function deviceSettings(login: Login, address: ServiceAddress): { name: string; text: string }[] {
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
