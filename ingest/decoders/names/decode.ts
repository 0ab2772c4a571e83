import { isCommandTopic } from '#src/devices/mapping.ts';
import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { findUnitSuffix } from '../proposal.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { isRadioMessage } from '../read/topic-shape.ts';
import { createValueCollector } from '../read/value-collector.ts';
import { findMetricMeaning } from '../sparkplug/meaning.ts';
import { getNameMeaning, type NameMeaning } from '../vocabulary/name-facts.ts';
import { hasHeatBusWord } from '../vocabulary/thermal.ts';
import { getTimeOfBody, readBody } from './body.ts';
import { findRegisterCodePattern } from './codes.ts';
import { isTuyaDataPoint } from './data-points.ts';
import { getDeviceIdOfMessage } from './device-id.ts';
import { listNumbersWithPaths, type NumberWithPath, parseNumberFromList } from './members.ts';
import { removeTimesAndPowersNamedKwh } from './no-registers.ts';
import { parseNumberWithUnit, parseTotalOfPhases, replaceDecimalComma } from './number-text.ts';
import { hasDayWithoutTime } from './periods.ts';
import { addNamedQuantities } from './quantities.ts';
import { findCommodityTexts, findNumberWithUnit, findStatedName, findUnnamedValue } from './siblings.ts';
import { isSunspecPoint } from './sunspec.ts';
import { isTariffNameWithDirection, isTariffOfFlow } from './tariffs.ts';
import { areVolumeRegisterNames, isVolumeTopic, WATER_TOPIC_BEFORE_OUT_PATTERN } from './volumes.ts';
import { isEnergyOrPowerName, isEnergyOrPowerNameWithoutUnit, type MemberContext } from './without-unit.ts';

/**
 * Matches topics that this family ignores: announcements, commands, and the topics of brokers, of native devices and of Sparkplug, which
 * sends units in separate messages.
 */
const NO_READINGS =
  /^(?:\$|homeassistant\/(?:status$|(?:[a-z_]+sensor(?=\/[^/]+\/)|sensor(?=\/[^/]+\/(?!state$))|climate|switch|number|select|button|light|text|update|device[a-z_]*|tag|event|water_heater)\/)|spBv1\.0\/|energy\/v1\/)|\/(?:config|cmd|command|request|rpc|update|response|settings)$/i;

/** Matches the topic of a device's shadow at AWS IoT, which a bridge may forward. The body contains what the device reports, and set-points. */
const SHADOW = /^\$aws\/(things\/[^/]+)\/shadow(\/name\/[^/]+)?\/update$/;
const reportedOf = (shadow: unknown): unknown =>
  getMember(asObjectOrNull(getMember(asObjectOrNull(shadow), 'state')), 'reported');

/**
 * Decoder of messages whose member names or topics state the quantity: `total_power_import_kwh`, `active_power_w`. It is the last family
 * and decodes messages that no other family recognises.
 */
export const namesFamily = createStatelessFamily({
  name: 'names',
  takes: (topic) => SHADOW.test(topic) || (!isCommandTopic(topic) && !NO_READINGS.test(topic)),
  decode,
});

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const { payload } = message;
  const [shadow, thing, name = ''] = SHADOW.exec(message.topic) ?? [];
  const topic = shadow === undefined ? message.topic : `aws/${thing}${name}`;
  // Radio receivers also receive the meters of neighbours, so the owner is not asked about messages of radio receivers.
  if (isCommandTopic(topic) || NO_READINGS.test(topic) || isRadioMessage(topic, payload)) return null;
  const json = shadow === undefined ? readJson(payload) : reportedOf(readJson(payload));
  const whole = readBody(json, payload);
  const listed = parseNumberFromList(json);
  const found = whole ? ofObject(topic, whole) : listed ? ofTopic(topic, listed) : ofNumber(topic, payload);
  if (!found) return null;
  const collector = createValueCollector();
  const atMs = whole
    ? getTimeOfBody(whole, message, settings)
    : parseMessageTime(listed?.time, undefined, { tz: settings.tz, receivedAtMs: message.receivedAtMs });
  const members = removeTimesAndPowersNamedKwh(found.members, message.receivedAtMs);
  const count = addNamedQuantities(collector, members, { device: found.device, atMs }, found.context);
  // A message without any named quantity stays unrecognised.
  if (count === 0) return null;
  // If the message contains readings, texts instead of numbers are not reported as refused, because nothing states that these members
  // should be numbers.
  return { said: collector.said, refused: collector.said.length === 0 ? collector.refused : [] };
}

/** Members of a message, their device, and the facts that the topic states about the members. */
interface Found {
  device: string;
  members: NumberWithPath[];
  context: MemberContext;
}

/** Returns the members of a JSON body. The id of their device is the topic, followed by the serial number in the body, if any. */
function ofObject(topic: string, body: Json): Found | null {
  const own = findNumberWithUnit(body) ?? loneNumber(topic, body) ?? ofUnitLevel(topic, body);
  if (own) {
    // The title of the number is a member of the body, and the topic ends with the address of the register (NibePi and others).
    return ofTopic(topic, own, own.unit === undefined ? undefined : findStatedName(body));
  }
  const at = topic.replace(DATA_POINTS, '');
  const named = at === topic ? body : { dps: body };
  const members = listNumbersWithPaths(named).filter(({ path }) => !INSIDE.test(path) && !OF_SETTINGS.test(path));
  if (PARAMETERS.test(topic) && members.some(({ path }) => getNameMeaning(path).not === 'unmeasured')) return null;
  const mayBeMeter = NUMBERED.test(topic) || members.some(({ path }) => path === 'power');
  const hasTotalOfUnknownQuantity = mayBeMeter && members.some(({ path }) => /^(?:to|yester)day$/i.test(path));
  const { around, ...context } = contextOf(at);
  const medium = findCommodityTexts(body);
  return {
    device: getDeviceIdOfMessage(at, body),
    members,
    context: {
      ...context,
      around: [...medium, ...(around ?? [])],
      hasTotalOfUnknownQuantity,
      isOfDay: hasDayWithoutTime(body) || HOURLY.test(at),
      codes: context.codes ?? findRegisterCodePattern(findStatedName(body) ?? ''),
    },
  };
}

/** Matches the paths of objects that contain settings and set-points. */
const OF_SETTINGS = /(?:^|\/)(?:controls|settings)\//i;

/**
 * Matches the end of a topic for parameters. If a message on such a topic contains a limit, its numbers are settings: `charging_limit` next
 * to `output_power_w`.
 */
const PARAMETERS = /\/param(?:eter)?s$/i;

/** Matches the topic level `times`. In Norwegian, it means a folder of hourly values; it is also an English word. */
const HOURLY = /(?:^|\/)times(?:\/|$)/i;

/** Matches the end of a topic with Tuya's data points. The topic of the device precedes this end. */
const DATA_POINTS = /\/dps(?:\/state)?$/i;
/** Matches the end of a topic that a program publishes for one of several numbered meters. */
const NUMBERED = /\/\d{1,2}$/;

/** Returns the number of a body such as `{"value": 1.2}` if the topic names a quantity; otherwise null. */
function loneNumber(topic: string, body: Json): Omit<NumberWithPath, 'path'> | null {
  const value = findUnnamedValue(body);
  const others = Object.keys(body).filter((name) => !OF_MESSAGE.test(name));
  return value !== undefined && others.length <= MAX_LONE && namesNumber(topic) ? { value } : null;
}

/** Matches a topic with a unit of energy before its last level: `total/kWh/heat_pump`. */
const BEHIND_UNIT = /\/([kM]?Wh)\/([^/]+)$/;
/**
 * Returns the only number of a body if the topic contains its unit and ends with its name: `{"heat_pump": 12.5}` on `total/kWh/heat_pump`.
 */
function ofUnitLevel(topic: string, body: Json): Omit<NumberWithPath, 'path'> | null {
  const [, unit, name = ''] = BEHIND_UNIT.exec(topic) ?? [];
  const value = Object.keys(body).length === 1 ? getMember(body, name) : undefined;
  return unit !== undefined && typeof readNumber(value) === 'number' ? { value, unit } : null;
}

/** Maximum number of members in a body with one number that the topic names: the number itself, a time and a state. */
const MAX_LONE = 3;
/** Matches the names of members that describe the message and not a number, in states of ioBroker and messages of Node-RED. */
const OF_MESSAGE = /^(?:ack|ts|lc|q|from|user|c|expire|topic|qos|retain|_msgid)$/;

/** Whether a name states a unit: any unit at its end, or a unit of energy at any place (`Import Wh (2).`, `thermal_gj`). */
const statesUnit = (name: string): boolean =>
  findUnitSuffix(name) !== null ||
  // Most names contain no unit, and a look-up of their words would take more time.
  (/wh|watt|[gm]j/i.test(name) && findMetricMeaning(name, undefined)?.unit.kind === 'energy_total_kwh');

/** Whether the end of a topic names an energy or a power, with or without a unit. */
function namesNumber(topic: string): boolean {
  const { name, before } = lastNamesOf(topic);
  const hasTotalOfUnknownQuantity = name === 'total' && /^\d{1,2}$/.test(before);
  return (
    statesUnit(name) ||
    isTuyaDataPoint(`${before}/${name}`) ||
    VALUE_OF_MEDIUM.test(topic) ||
    isVolumeTopic(topic) ||
    findRegisterCodePattern(topic)?.test(name) ||
    hasTotalOfUnknownQuantity ||
    isSunspecPoint(name) ||
    isTariffOfFlow(topic.replace(PLAIN_END, '')) ||
    isEnergyOrPowerNameWithoutUnit(`${before}/${name}`) ||
    areVolumeRegisterNames([name, ...(name === 'index' ? topic.split('/') : [before])])
  );
}

/**
 * Returns the value of a payload that consists of one number, with or without a unit. If the payload has no unit, the topic must end with a
 * unit (`…/Import_Energy_Total_kWh`), or with a name that implies the quantity. Otherwise returns null.
 */
function ofNumber(topic: string, payload: Buffer): Found | null {
  const text = readText(payload);
  if (text === null) return null;
  const own = parseNumberWithUnit(text);
  if (own) return ofTopic(topic, own);
  if (!namesNumber(topic)) return null;
  // An announcement or an attribute that has not arrived yet may state the unit.
  if (HOME_ASSISTANT.test(topic) && !statesUnit(lastNamesOf(topic).name)) return null;
  const value = parseTotalOfPhases(text) ?? replaceDecimalComma(text);
  // A number whose comma may separate thousands is refused, so that the owner sees it.
  return value === null || typeof readNumber(value) === 'number' ? ofTopic(topic, { value: value ?? text }) : null;
}

/** Matches a last topic level that carries no information. */
const PLAIN_END = /\/(?:state|value|val)$/i;
/** Matches topic levels that only group other levels: folders and ids. */
const GROUP = /^(?:controls|sensors?|values|data|live_?data|readings|measurements?|\d{5,})$/i;

const HOME_ASSISTANT = /^homeassistant\/sensor\/[^/]+\/state$/;
/** Matches topics that name the commodity (gas or water) but not the quantity of a value. */
const VALUE_OF_MEDIUM =
  /(?:^|\/)(?:gas|water|wasser)(?:[_-]?(?:meter|z(?:ä|ae)hler|uhr))?\/(?:readings?\/)?(?:(?:current|last)_?)?(?:value|val)$/i;
/** Units of powers, volumes and temperatures, as the last level of a topic. */
const UNIT_LEVEL = /^(?:k?W|[Ww]atts?|m3|m³|lit(?:er|re)s?|°?C|[Cc]elsius)$/;

function lastNamesOf(topic: string): { name: string; before: string } {
  const [name = '', ...levels] = topic.replace(PLAIN_END, '').split('/').toReversed();
  return { name, before: levels.find((level) => !GROUP.test(level)) ?? '' };
}

/**
 * Returns a number whose name is its title or the end of its topic. The id of its device is the part of the topic before the name. The
 * device's other numbers arrive in other messages, so the owner is asked if the name states no direction.
 */
function ofTopic(topic: string, value: Omit<NumberWithPath, 'path'>, title?: string): Found | null {
  const isOfMedium = value.unit === undefined && VALUE_OF_MEDIUM.test(topic);
  const named = isOfMedium
    ? topic
    : topic.replace(WATER_TOPIC_BEFORE_OUT_PATTERN.test(topic) ? /\/out$/i : PLAIN_END, '');
  const [name = '', before = ''] = named.split('/').toReversed();
  const ownUnit = value.unit === undefined && UNIT_LEVEL.test(name) ? { unit: name } : {};
  // The number on `meter/power/W` is the power of the device `meter`; the number on `x/dps/17` belongs to the device `x`.
  const isBelow = ('unit' in ownUnit && named.split('/').length > 2) || isTuyaDataPoint(`${before}/${name}`);
  // The number on `solar/energy/total` is the energy of the device `solar`.
  const isSplit =
    isBelow ||
    (!isEnergyOrPowerName(name) &&
      !isTariffNameWithDirection(name) &&
      !isTariffOfFlow(name) &&
      !statesUnit(name) &&
      value.unit === undefined &&
      (isEnergyOrPowerName(`${before}/${name}`) || isTariffOfFlow(`${before}/${name}`)));
  // If the topic is an address (`knx/3/1/12`), a number with a title is treated as a separate device, because numbers on other addresses
  // may have the same title.
  // Below `homeassistant/sensor`, the sensors of all devices are in one folder, so each sensor is treated as a separate device.
  const ownTitle = title ?? (HOME_ASSISTANT.test(topic) ? name : undefined);
  const isAddress = ownTitle !== undefined && (title === undefined || /\d/.test(name));
  const end = isAddress ? named.length : named.length - name.length - 1 - (isSplit ? before.length + 1 : 0);
  if (end <= 0) return null;
  const device = named.slice(0, end);
  const of = contextOf(device);
  const context: MemberContext = {
    ...of,
    described: { ...of.described, isAlone: true },
    isLone: true,
    hasTotalOfUnknownQuantity: NUMBERED.test(device),
    isVolume: value.unit === undefined && isVolumeTopic(topic),
  };
  return { device, members: [{ path: ownTitle ?? named.slice(end + 1), ...value, ...ownUnit }], context };
}

/** Matches names of temperatures inside a device, which are not room temperatures. */
const INSIDE =
  /(?:^|[/_\s-])(?:cpu|gpu|chip|board|mcu|esp(?:32)?|soc|core|disk|ssd|ntc|heat_?sink|igbt|module|transformer)[^/]*temp|temp[^/]*(?:cpu|chip|board|mcu|esp)/i;

/** Whether the name of a topic level states a fact about the numbers below this level. */
const isTelling = ({ not, direction, medium, parts, bySibling, has }: NameMeaning): boolean =>
  not !== null ||
  direction !== null ||
  medium !== '' ||
  parts.length > 0 ||
  bySibling !== null ||
  (['produced', 'store', 'charge', 'discharge'] as const).some(has);

/**
 * Matches topic levels that have another meaning than the same word in a name: `var` is a folder, `out` means sent by a program, `times`
 * does not mean hourly, `280` is an address and not the OBIS code of an export register, `CurrentCost` is a maker of displays.
 */
const OF_PROGRAMS = /^(?:var|in|out|times|currentcost|\d+)$/i;

/**
 * Returns the facts that a topic states about its numbers: words for a direction, a period or a commodity, and whether the device is an
 * inverter or a battery. A register without a direction is import only if the topic names a plug or a switch. Otherwise the owner is asked,
 * because even a register "in the cellar" may belong to an inverter. A "solar meter" or "battery heater" may measure consumption or
 * production.
 */
function contextOf(topic: string): MemberContext {
  const around = topic
    .split('/')
    .toReversed()
    .filter((level) => !OF_PROGRAMS.test(level) && isTelling(getNameMeaning(level)));
  const { has } = getNameMeaning(topic);
  const switches = has('switches') && !has('heats');
  const moves = has('sun') || has('store') || has('inverter');
  const isDoubtful = moves && (['switches', 'meter', 'heats', 'consumed'] as const).some(has);
  return {
    around,
    described: {
      ...(!isDoubtful && { device: topic }),
      ...((moves || !switches) && { isAlone: true }),
      ...(hasHeatBusWord(topic) && { mayMeasureHeat: true }),
    },
    isStrict: true,
    codes: findRegisterCodePattern(topic),
  };
}
