import { expect, test } from 'vitest';
import { isCommandTopic } from '#src/devices/mapping.ts';
import {
  createCaseMessage,
  getFamilyCaseSettings,
  getFamilyCases,
  getPriorMessages,
} from '#test/support/family-cases.ts';
import { RECEIVED_AT_MS } from '#test/support/read-message.ts';
import { FAMILIES } from './families.ts';
import { createGatewayDecoders } from './gateway-decoders.ts';
import { createTableFamily } from './tables/engine.ts';
import { readFamilyTable } from './tables/form.ts';

/**
 * Topics on which a family omits numbers on purpose, with the reason, by family. Excludes omissions that a family's table declares
 * (`ignored`).
 */
const OMITTED: Readonly<Record<string, readonly [topics: RegExp, reason: string]>> = {
  tasmota: [/(?:^|\/)(?:cmnd|stat|tele)\/(?!.*(?:SENSOR|ENERGY)$)/, 'commands, replies and states of relays'],
  otgw: [/^OTGW\/set\//, 'commands'],
  zigbee2mqtt: [
    /\/(?:bridge|get)\/|\/total_import_kwh$|blind$/,
    'bridge, commands, repeated attributes, "blind" (reactive)',
  ],
  p1monitor: [/\/(?:minute|temperature)\//, 'energies of a minute, temperatures'],
  smlreader: [/\/1-0:(?:3\.8|15\.7|16\.8)\.0\//, 'reactive energy, absolute power, balance'],
  openwb: [/openWB\//, 'root of openWB: sums, energies of a day, commands'],
  'shelly-gen2': [/\/status\/[a-z0-9]+:\d+$|\/rpc$|^shellies\//, 'components, replies, root of Shelly'],
  'shelly-gen1': [/(?:^|\/)shellies\//, 'root of Shelly: states, commands, energies since the start'],
  sparkplug: [/^spBv1\.0\//, 'commands and states'],
  openevse: [/(?:^|\/)openevse-/, 'root of a charger: energies of a session, a day, a month'],
  emon: [/^emonhub\//, 'values that are identified by position only'],
  rtl433: [/^rtl_433\//, 'radio: meters of neighbours'],
  rtlamr: [/^rtlamr\//, 'radio: meters of neighbours'],
  openmqttgateway: [/OpenMQTTGateway\//, 'radio: meters of neighbours'],
  vzlogger: [/(?:^|\/)chn\d+\//, 'the identifier of the channel states the quantity'],
  homie: [/^homie\//, 'the description of the device states its properties'],
  ferroamp: [/\/control\//, 'commands'],
  opendtu: [/\/(?:cmd|status)\//, 'commands and limits'],
  ahoydtu: [/\/ctrl\//, 'commands'],
  warp: [/\/update$/, 'commands'],
  lorawan: [/\/(?:down|join|status)(?:\/|$)/, 'messages other than uplinks'],
  homeassistant: [/./, 'the announcement states which members count'],
  zwavejs: [/^zwave\//, 'numbers of command classes'],
  sungrow: [/\/available$/, 'availability'],
  victron: [/^W\//, 'commands'],
  zendure: [/\/outputLimit\//, 'settings'],
  solaredge2mqtt: [/^solaredge\/energy\//, 'sums that an announcement repeats'],
  smartevse: [/\/settings$/, 'settings'],
  statestream: [/./, 'the attributes of the entity state the quantity'],
  ebusd: [/^ebusd\//, 'root of ebusd: energies of a day, a month, a year, requests'],
  amsreader: [/\/reactive\//, 'reactive energy'],
  names: [/^homeassistant\//, 'attributes and announcements'],
  mbmd: [/\/ReactiveImport\//, 'reactive energy'],
};

/** The families. Topics that a table declares as `ignored` are removed from the table. */
const families = FAMILIES.map((family) => {
  const table = findTable(family.name);
  return table ? createTableFamily({ ...table, topics: table.topics.filter(({ ignored }) => !ignored) }) : family;
});

function findTable(name: string) {
  try {
    return readFamilyTable(name);
  } catch {
    return null;
  }
}

/** Unknown messages on a topic: a JSON message on the topic itself, and a number whose name replaces the last level. */
const getUnknownMessages = (topic: string) =>
  [
    { topic, payload: '{"total_import_kwh": 123.4, "active_power_w": 350}' },
    { topic: topic.replace(/[^/]*$/, 'total_import_kwh'), payload: '123.4' },
  ].filter((one) => one.topic.includes('/') && !isCommandTopic(one.topic));

test('asks about, reads or refuses unknown numbers on the topics of each family, except declared omissions', () => {
  const silent: { name: string; topic: string; payload: string }[] = [];
  for (const { name } of FAMILIES) {
    for (const [, { in: given }] of getFamilyCases(name)) {
      const { receivedAtMs } = createCaseMessage(given);
      const decoders = createGatewayDecoders(families);
      for (const one of getPriorMessages(given)) decoders.recall({ ...one, receivedAtMs });
      for (const { topic, payload } of getUnknownMessages(given.topic)) {
        const decoded = decoders.read(
          { topic, payload: Buffer.from(payload), receivedAtMs },
          getFamilyCaseSettings(given),
        );
        if (!decoded || decoded.said.length + decoded.refused.length === 0) silent.push({ name, topic, payload });
      }
    }
  }
  const isDeclared = ({ name, topic }: { name: string; topic: string }) => OMITTED[name]?.[0].test(topic) ?? false;
  expect(silent.filter((one) => !isDeclared(one))).toEqual([]);
  const declaring = new Set(silent.filter(isDeclared).map(({ name }) => name));
  expect(Object.keys(OMITTED).filter((name) => !declaring.has(name))).toEqual([]);
});

/**
 * First levels of topics that belong to one program or to radio receivers, so that its family omits all other topics below this level. Other
 * first levels may be shared by several programs: `e3dc` is a maker of devices.
 */
const OWN_ROOT =
  /^(?:cmnd|DSMR-API|P1-Dongle-Pro|openWB|wmbusmeters_alarm|shellies|spBv1\.0|emonhub|rtl_433|solar_assistant.*|hms800wt2|hoymiles-ms-a2|sungrowmodbus2mqtt|zendure2mqtt|SmartEVSE-\d+|teleinfokit|ebusd)$/;

test('leaves topics that no family defines to later families, if several programs may share their first level', () => {
  const roots = new Set(
    FAMILIES.flatMap(({ name }) => getFamilyCases(name).map(([, { in: given }]) => given.topic.split('/')[0] ?? '')),
  );
  const decoders = createGatewayDecoders();
  const silent = [...roots].filter((root) =>
    getUnknownMessages(`${root}/undefined_level/other/name`).some(({ topic, payload }) => {
      const decoded = decoders.read({ topic, payload: Buffer.from(payload), receivedAtMs: RECEIVED_AT_MS }, {});
      return !decoded || decoded.said.length + decoded.refused.length === 0;
    }),
  );
  expect(silent.filter((root) => !OWN_ROOT.test(root))).toEqual([]);
});
