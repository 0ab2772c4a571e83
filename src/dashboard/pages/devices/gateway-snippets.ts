import type { CreatedGateway } from './device.ts';
import type { ServiceAddress } from './service-address.ts';

/** Topics of the families, by the QoS that they are bridged with; deploy/DEVICES.md says why, and a test holds them to it. */
const BRIDGED: [qos: 0 | 1, topics: string[]][] = [
  [1, ['tele/#', 'stat/#', '+/events/rpc', 'dsmr/#', 'wmbusmeters/+', 'rtl_433/#', 'rtlamr/#', 'glow/#', 'spBv1.0/#']],
  [1, ['homeassistant/#']],
  [0, ['shellies/#', '+/status/#', '+/online', 'zigbee2mqtt/#', 'DSMR-API/#', 'emon/#', 'OTGW/value/#', 'homie/#']],
  [0, ['+/sensor/#', '+/climate/#']],
];

type Login = CreatedGateway['mqtt'];

/** For the household's mosquitto.conf. */
export function mosquittoBridge({ username, password, topic_prefix }: Login, address: ServiceAddress): string {
  const { host, tlsPort, isLocal } = address;
  const topics = BRIDGED.flatMap(([qos, names]) => names.map((name) => `topic ${name} out ${qos} "" ${topic_prefix}`));
  return `persistence true
max_queued_messages 0

connection energy
address ${host}:${tlsPort}
${isLocal ? '# a copy of data/tls/cert.pem of the service\nbridge_cafile /etc/mosquitto/certs/energy.pem' : 'bridge_capath /etc/ssl/certs'}
remote_username ${username}
remote_password ${password}
cleansession false
notifications false
try_private false
# Messages that tell their time wait while the line is down (1). The others must not (0).
${topics.join('\n')}`;
}

/** Settings of devices that publish below the prefix by themselves, by what they are for. */
export function deviceSettings(login: Login, { host, tlsPort }: ServiceAddress): { name: string; text: string }[] {
  const { username, password, topic_prefix } = login;
  const shelly = {
    enable: true,
    server: `${host}:${tlsPort}`,
    user: username,
    pass: password,
    ssl_ca: 'ca.pem',
    topic_prefix: `${topic_prefix}shelly-desk`,
    rpc_ntf: true,
  };
  return [
    {
      name: 'Tasmota (a build with TLS; in its console)',
      text: `Backlog MqttHost ${host}; MqttPort ${tlsPort}; MqttUser ${username}; MqttPassword ${password}; FullTopic ${topic_prefix}%prefix%/%topic%/`,
    },
    {
      name: 'Zigbee2MQTT (configuration.yaml)',
      text: `mqtt:
  server: mqtts://${host}:${tlsPort}
  user: ${username}
  password: ${password}
  base_topic: ${topic_prefix}zigbee2mqtt`,
    },
    {
      name: 'ESPHome',
      text: `mqtt:
  broker: ${host}
  port: ${tlsPort}
  username: ${username}
  password: ${password}
  topic_prefix: ${topic_prefix}meter
  discovery_prefix: ${topic_prefix}homeassistant`,
    },
    {
      name: 'Shelly Gen2 and later (MQTT.SetConfig)',
      text: JSON.stringify({ config: shelly }, null, 2),
    },
  ];
}
