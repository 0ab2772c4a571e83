import { isCommandTopic } from '#src/devices/mapping.ts';
import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { unitAtEndOfName } from '../proposal.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, ownMember, parseNameValuePairs, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { isRadioMessage } from '../read/topic-shape.ts';
import { createValueCollector } from '../read/value-collector.ts';
import { type NameFacts, nameFactsOf } from '../vocabulary/name-facts.ts';
import { namesMBus } from '../vocabulary/thermal.ts';
import {
  listNamedMembers,
  type Member,
  mergeParts,
  numberInList,
  numbersByName,
  numberWithUnit,
  openSingleList,
  splitUnitOfText,
  titleOf,
  unnamedValueOf,
} from './members.ts';
import { addNamedQuantities } from './quantities.ts';
import {
  codesOf,
  isDataPoint,
  type MembersContext,
  namesQuantity,
  namesVolume,
  namesWithoutUnit,
} from './without-unit.ts';

/**
 * Topics that are not read: announcements and commands; those of brokers, of Sparkplug, whose units come separately, and of native devices.
 */
const NO_READINGS =
  /^(?:\$|homeassistant\/(?:[a-z_]+$|(?:[a-z_]*sensor|climate|switch|number|select|button|light|text|update|device[a-z_]*|tag|event|water_heater)\/)|spBv1\.0\/|energy\/v1\/)|\/(?:config|cmd|command|request|rpc|update|response|settings)$/i;

/**
 * Decoder of messages that state everything in their own names: `total_power_import_kwh`, `active_power_w`. It comes last, and reads what no
 * family of devices recognises.
 */
export const names = createStatelessFamily({
  name: 'names',
  takes: (topic) => !isCommandTopic(topic) && !NO_READINGS.test(topic),
  decode,
});

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const { topic, payload } = message;
  // A radio receiver also receives the meters of neighbours, which must not be offered to the owner.
  if (isCommandTopic(topic) || NO_READINGS.test(topic) || isRadioMessage(topic, payload)) return null;
  const json = readJson(payload);
  const body = asObject(json) ?? numbersByName(json) ?? mergeParts(json) ?? parseNameValuePairs(payload) ?? null;
  const listed = numberInList(json);
  const whole = body && openSingleList(body);
  const found = whole ? ofObject(topic, whole) : listed ? ofTopic(topic, listed) : ofNumber(topic, payload);
  if (!found) return null;
  const collector = createValueCollector();
  const atMs = whole
    ? timeOf(whole, message, settings)
    : parseMessageTime(listed?.time, undefined, { tz: settings.tz, receivedAtMs: message.receivedAtMs });
  const count = addNamedQuantities(collector, found.members, { device: found.device, atMs }, found.context);
  // A message without a named quantity remains unrecognised.
  if (count === 0) return null;
  // A text instead of a number is not reported next to numbers, because the device is unknown.
  return { said: collector.said, refused: collector.said.length === 0 ? collector.refused : [] };
}

/** Members of a message, their device, and the facts that its topic states about them. */
interface Found {
  device: string;
  members: Member[];
  context: MembersContext;
}

/** Returns the members of a JSON body. The device is the topic, and the serial number in the body if there is one. */
function ofObject(topic: string, body: Json): Found | null {
  const own = numberWithUnit(body) ?? loneNumber(topic, body);
  if (own) {
    // NibePi and others publish a number with its own name below a topic that is a register's address.
    return ofTopic(topic, own, own.unit === undefined ? undefined : titleOf(body));
  }
  const at = topic.replace(DATA_POINTS, '');
  const named = at === topic ? body : { dps: body };
  const members = listNamedMembers(named).filter(({ path }) => !INSIDE.test(path));
  const isNumbered = NUMBERED.test(topic) && members.some(({ path }) => /^(?:to|yester)day$/i.test(path));
  const { around, ...context } = contextOf(at);
  const medium = mediumOf(body);
  return {
    device: deviceOf(at, body),
    members,
    context: {
      ...context,
      around: [...medium, ...(around ?? [])],
      isNumbered,
      isOfDay: isOfDay(body) || HOURLY.test(at),
    },
  };
}

/** Members that name what a meter measures, as M-Bus does: `{"medium": "Heat: Outlet"}`. */
const MEDIUM = /^(?:medium|media|device_?type)$/i;

/** Returns the commodity that a body names, as a list of at most one name. Electricity is none, because it is the default. */
const mediumOf = (body: Json): string[] =>
  Object.keys(body).flatMap((name) => {
    const text = MEDIUM.test(name) ? body[name] : undefined;
    return typeof text === 'string' && text.length <= 40 && nameFactsOf(text).medium !== '' ? [text] : [];
  });

/** A day without a time: `2026-11-28`, `28.11.2026`. */
const DAY = /^\s*(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4})\s*$/;
/** A folder of hourly values in Norwegian, and a word of English. */
const HOURLY = /(?:^|\/)times(?:\/|$)/i;

/** Whether a body states a day, and no time next to it. */
function isOfDay(body: Json): boolean {
  const texts = Object.values(body).filter((value) => typeof value === 'string');
  return (
    texts.some((text) => DAY.test(text)) &&
    !Object.keys(body).some((name) => /time|stamp|^(?:ts|t|clock|uhrzeit|hora|heure)$/i.test(name))
  );
}

/** Topic of an object of Tuya's data points, behind the topic of their device. */
const DATA_POINTS = /\/dps(?:\/state)?$/i;
/** Topic of one of several meters, which a program has numbered. */
const NUMBERED = /\/\d{1,2}$/;

/** Returns the number of a body such as `{"value": 1.2}` if its topic names what it is. */
function loneNumber(topic: string, body: Json): Omit<Member, 'path'> | null {
  const value = unnamedValueOf(body);
  const others = Object.keys(body).filter((name) => !OF_MESSAGE.test(name));
  return value !== undefined && others.length <= MAX_LONE && namesNumber(topic) ? { value } : null;
}
/** Maximum number of members next to which a value is the topic's: a time, and a state. */
const MAX_LONE = 3;
/** Members that describe a message and not a number: those of a state of ioBroker and of a message of Node-RED. */
const OF_MESSAGE = /^(?:ack|ts|lc|q|from|user|c|expire|topic|qos|retain|_msgid)$/;

/**
 * Topics of programs that a family reads. What the family leaves out below them has been left out on purpose, so a number without a unit is
 * no other device: `openWB/counter/set/home_consumption`.
 */
const OF_FAMILIES =
  /^(?:openWB|evcc|go-eCharger|wattpilot|ebusd|N|shellies|tele|stat|zigbee2mqtt|zwave|OTGW|homie|openevse|mbmd|vzlogger|ems-esp|panasonic_heat_pump|warp\d?|DSMR-API|dsmr|glow|rtl_433|rtlamr|wmbusmeters|solaredge\/(?:modbus|powerflow|monitoring|energy|forecast|weather|wallbox)|GivEnergy|solar_assistant|hame_energy|marstek_energy|hm2mqtt|zendure2mqtt|huawei_solar_modbus|Huawei|SunGather|sungrowmodbus2mqtt|hms800wt2|hms|hoymiles-ms-a2|deye|e3dc|sdm630|everblu|teleinfo|teleinfokit|youless|lxp|p1monitor|sensors\/power\/p1meter|iot\/smartmeter)\//;

/** Whether the end of a topic names an energy or a power, with or without a unit. */
function namesNumber(topic: string): boolean {
  const { name, before } = lastNamesOf(topic);
  const isNumbered = name === 'total' && /^\d{1,2}$/.test(before);
  return (
    unitAtEndOfName(name) !== null ||
    isDataPoint(`${before}/${name}`) ||
    VALUE_OF_MEDIUM.test(topic) ||
    codesOf(topic)?.test(name) ||
    (!OF_FAMILIES.test(topic) && (isNumbered || namesWithoutUnit(`${before}/${name}`) || namesVolume([name, before])))
  );
}

/**
 * Returns the plain number of a topic: its unit is the last word of the topic (`…/Import_Energy_Total_kWh`) or stands next to the number, or
 * the topic names an energy or a power without a unit.
 */
function ofNumber(topic: string, payload: Buffer): Found | null {
  const text = readText(payload);
  if (text === null) return null;
  const own = splitUnitOfText(text);
  if (own) return ofTopic(topic, own);
  if (!namesNumber(topic)) return null;
  return typeof readNumber(text) === 'number' ? ofTopic(topic, { value: text }) : null;
}

/** Words at the end of a topic that carry no information, and levels that only group others. */
const PLAIN_END = /\/(?:state|value|val)$/i;
const GROUP = /^(?:controls|sensors?|values|data|live_?data|readings|measurements?)$/i;

/** Topics of a number of which only the commodity is known. */
const VALUE_OF_MEDIUM =
  /(?:^|\/)(?:gas|water|wasser)(?:[_-]?(?:meter|z(?:ä|ae)hler|uhr))?\/(?:readings?\/)?(?:(?:current|last)_?)?(?:value|val)$/i;
/** Units of powers, volumes and temperatures, as a level of a topic. */
const UNIT_LEVEL = /^(?:k?W|[Ww]atts?|m3|m³|lit(?:er|re)s?|°?C|[Cc]elsius)$/;

/** Returns the last two names of a topic. */
function lastNamesOf(topic: string): { name: string; before: string } {
  const [name = '', ...levels] = topic.replace(PLAIN_END, '').split('/').toReversed();
  return { name, before: levels.find((level) => !GROUP.test(level)) ?? '' };
}

/**
 * Returns a number whose name is its title or the end of its topic. Its device is the topic before it. The other numbers of the device are unknown when
 * it arrives, so that one without a direction is asked about.
 */
function ofTopic(topic: string, value: Omit<Member, 'path'>, title?: string): Found | null {
  const isOfMedium = value.unit === undefined && VALUE_OF_MEDIUM.test(topic);
  const named = isOfMedium ? topic : topic.replace(PLAIN_END, '');
  const [name = '', before = ''] = named.split('/').toReversed();
  const ownUnit = value.unit === undefined && UNIT_LEVEL.test(name) ? { unit: name } : {};
  // The number of `meter/power/W` is the power of `meter`, and that of `x/dps/17` is of `x`.
  const isBelow = ('unit' in ownUnit && named.split('/').length > 2) || isDataPoint(`${before}/${name}`);
  // The number of `solar/energy/total` is the energy of `solar`.
  const isSplit =
    isBelow ||
    (!namesQuantity(name) &&
      unitAtEndOfName(name) === null &&
      value.unit === undefined &&
      namesQuantity(`${before}/${name}`));
  // A number with a title below an address (`knx/3/1/12`) is a device of its own: others may have the same title.
  const isAddress = title !== undefined && /\d/.test(name);
  const end = isAddress ? named.length : named.length - name.length - 1 - (isSplit ? before.length + 1 : 0);
  if (end <= 0) return null;
  const device = named.slice(0, end);
  const of = contextOf(device);
  const context: MembersContext = {
    ...of,
    described: { ...of.described, isAlone: true },
    isNumbered: NUMBERED.test(device),
  };
  return { device, members: [{ path: title ?? named.slice(end + 1), ...value, ...ownUnit }], context };
}

/** Temperatures inside a device, which are not those of a room. */
const INSIDE =
  /(?:^|[/_\s-])(?:cpu|gpu|chip|board|mcu|esp(?:32)?|soc|core|disk|ssd|ntc|heat_?sink|igbt|module|transformer)[^/]*temp|temp[^/]*(?:cpu|chip|board|mcu|esp)/i;

/** Members that distinguish devices on one topic. A plain `id` does so only next to a model: elsewhere it may number the messages. */
const SERIAL =
  /^(?:sn|serial(?:[_-]?(?:no|number|nr|num))?|(?:inverter|device|meter)[_-]?(?:sn|serial|id)|mac|dev_?eui)$/i;

/** Names of devices, which distinguish those without a serial number. */
const DEVICE_NAME = /^device_?name$/i;

/** A time at the end of a topic (MeterLogger), in seconds or milliseconds since 1970: each message has another one. */
const TIME_AT_END = /\/1\d{9}(?:\d{3})?$/;

function deviceOf(address: string, body: Json): string {
  const topic = address.replace(TIME_AT_END, '');
  const names = Object.keys(body);
  const name =
    names.find((one) => SERIAL.test(one)) ??
    names.find((one) => DEVICE_NAME.test(one)) ??
    (typeof body.model === 'string' ? 'id' : '');
  const id = ownMember(body, name);
  if (typeof id !== 'string' && typeof id !== 'number') return topic;
  const text = String(id).trim();
  return text === '' || text.length > 64 || topic.includes(text) ? topic : `${topic}/${text}`;
}

/** Names of the message's own time. */
const TIMES = ['ts', 'time', 'timestamp', 'datetime', 'Time', 'Timestamp', 'DateTime'];

function timeOf(body: Json, { receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): number | null {
  const value = TIMES.map((name) => ownMember(body, name)).find((one) => one !== undefined);
  return parseMessageTime(value, undefined, { tz, receivedAtMs });
}

/** Facts that a topic's words state about each number below them. */
const isTelling = ({ not, direction, medium, parts, bySibling, has }: NameFacts): boolean =>
  not !== null ||
  direction !== null ||
  medium !== '' ||
  parts.length > 0 ||
  bySibling !== null ||
  (['produced', 'store', 'charge', 'discharge'] as const).some(has);

/** Levels that mean something else than in a name: `var` is a folder, `out` what a program sends, `times` no hour. */
const OF_PROGRAMS = /^(?:var|in|out|times)$/i;

/**
 * Returns the facts that a topic states about its numbers: the words that name a direction, a period or a commodity, and whether the device
 * is an inverter or a battery. A register without a direction is import only if the topic names a plug or a switch; otherwise its owner is
 * asked, because it may be an inverter's, even in the "cellar". A "solar meter" or "battery heater" may be either.
 */
function contextOf(topic: string): MembersContext {
  const around = topic
    .split('/')
    .toReversed()
    .filter((level) => !OF_PROGRAMS.test(level) && isTelling(nameFactsOf(level)));
  const { has } = nameFactsOf(topic);
  const switches = has('switches') && !has('heats');
  const moves = has('sun') || has('store') || has('inverter');
  const isDoubtful = moves && (['switches', 'meter', 'heats', 'consumed'] as const).some(has);
  return {
    around,
    described: {
      ...(!isDoubtful && { device: topic }),
      ...((moves || !switches) && { isAlone: true }),
      ...(namesMBus(topic) && { mayMeasureHeat: true }),
    },
    isStrict: true,
    codes: codesOf(topic),
  };
}
