import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import { createCircuitWord } from '../read/circuit-word.ts';
import { convertToCelsius, type ValueCollector } from '../read/value-collector.ts';
import { getRegisterProperties } from '../registers-of-a-device/register.ts';
import { assignChannels, type MetricQuantity } from '../sparkplug/channels.ts';
import { findMetricMeaning, type MetricMeaning } from '../sparkplug/meaning.ts';
import { findMetricUnit, MEGAJOULES_PER_KWH } from '../sparkplug/units.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { getDataPointNumber, isTuyaDataPoint, listRegisterDataPoints } from './data-points.ts';
import type { NumberWithPath } from './members.ts';
import { isUnitOfOtherQuantity } from './number-text.ts';
import { copyUnitsFromTodayValues, createPeriodEnergyChecker, isConsumptionOfUnknownTime } from './periods.ts';
import { askAboutSunspecPoints, isScaleFactor } from './sunspec.ts';
import { findQuantityKindBySymbol } from './symbols.ts';
import { isTariffRegisterWithoutDirection } from './tariffs.ts';
import { findVolumesOfUnknownCommodity, isRainGauge, isVolumeWithoutUnit } from './volumes.ts';
import {
  describeMember,
  findQuantityKindToAskOwner,
  isEnergyName,
  isEnergyOfPeriod,
  isEnergyOrPowerName,
  isEnergyWithUnknownUnit,
  isTotalBesideWatt,
  isTotalOfUnknownQuantity,
  type MemberContext,
} from './without-unit.ts';

/**
 * Adds the numbers in `listed` whose names state a quantity and its unit to `collector`, and classifies the registers among them together. Adds a
 * question to the owner for each energy without a unit. Returns the number of members that name a quantity, even if their values are
 * unusable.
 */
export function addNamedQuantities(
  collector: ValueCollector,
  listed: readonly NumberWithPath[],
  said: { device: string; atMs: number | null },
  context: MemberContext = {},
): number {
  const members = copyUnitsFromTodayValues(listed.filter(({ path }) => !isScaleFactor(path)));
  const isOfRain = isRainGauge(said.device, members);
  const meanings = members.flatMap(({ path, unit }) => {
    const meaning = meaningOf(path, unit, context);
    return meaning && !(isOfRain && meaning.unit.kind === 'volume_total_m3') ? [{ ...meaning, name: path }] : [];
  });
  const assigned = assignChannels(meanings);
  const certain = withDoubtfulEnergies(withDoubtfulConsumption(assigned, said.device, context), members, context);
  const named = context.isStrict ? withDoubtfulPowers(certain) : certain;
  const points = askAboutSunspecPoints(listed, named);
  const quantities = new Map([...named, ...points]);
  let count = meanings.length + points.size;
  // If the message contains a volume with its unit, the owner is not asked about a pulse counter in the same message.
  const hasEnergy = meanings.some(({ unit }) => unit.kind === 'energy_total_kwh');
  const hasVolume = isOfRain || meanings.some(({ unit }) => unit.kind === 'volume_total_m3');
  const volumes = hasVolume ? null : findVolumesOfUnknownCommodity(members, context, meanings.length === 0);
  for (const { path, value, unit: stated } of members) {
    const quantity = quantities.get(path);
    if (quantity) {
      const { unit, ...place } = quantity;
      const { kind, times, per, fahrenheit } = unit;
      collector.add({
        ...said,
        ...place,
        kind,
        times,
        per,
        value: fahrenheit ? convertToCelsius(value, 'F') : value,
        name: path,
      });
    } else if (
      quantity === undefined &&
      !isUnitOfOtherQuantity(stated) &&
      (isEnergyWithUnknownUnit(path, value, context) ||
        isTariffRegisterWithoutDirection(path, value, members) ||
        (!hasEnergy && isTotalBesideWatt(path, value, members))) &&
      !isEnergyOfPeriod(path, members, context)
    ) {
      collector.add({ ...said, ...unknownPlace(path, context), kind: 'energy_total_kwh', value, name: path });
      count++;
    } else if (quantity === undefined && volumes?.has(path)) {
      const unit = volumes.get(path);
      const asks = { unit: unit ? 'm³' : null };
      collector.add({ ...said, ...volumePlace(path), kind: 'volume_total_m3', ...unit, asks, value, name: path });
      count++;
    } else if (quantity === undefined && !hasVolume && isVolumeWithoutUnit(path, value, stated, context)) {
      collector.add({ ...said, ...volumePlace(path), kind: 'volume_total_m3', value, name: path });
      count++;
    }
  }
  return count > 0 || !context.isStrict ? count : addLoneMembers(collector, members, said, context);
}

/**
 * Called if a message has no other quantities. Adds questions to the owner for the energies and powers that state neither unit nor
 * direction. Returns the number of questions.
 */
function addLoneMembers(
  collector: ValueCollector,
  members: readonly NumberWithPath[],
  said: { device: string; atMs: number | null },
  context: MemberContext,
): number {
  let count = 0;
  const points = listRegisterDataPoints(members);
  for (const { path, value, unit } of members) {
    const isPoint = isTuyaDataPoint(path) && points.has(getDataPointNumber({ path }));
    const isNumber = isPoint || isTotalOfUnknownQuantity(path, value, context);
    const kind = isNumber
      ? 'energy_total_kwh'
      : unit === undefined || isContradiction(path, unit)
        ? (findQuantityKindToAskOwner(path, value, context) ?? findQuantityKindBySymbol(path, value, members))
        : null;
    if (kind === null || isEnergyOfPeriod(path, members, context)) continue;
    collector.add({ ...said, ...unknownPlace(path, context), kind, value, name: path });
    count++;
  }
  return count;
}

/** Maximum length of a path that `normaliseChannelWord` does not shorten. */
const MAX_WORD = 32;
/**
 * Converts a path to one part of a channel's name (between two slashes). A long path is shortened and gets a hash, because long paths often
 * have the same beginning.
 */
const channelWordOf = (path: string): string =>
  path.length > MAX_WORD ? createCircuitWord(path) : normaliseChannelWord(path);

/** Returns channel, question and description of a quantity without a unit. The owner is asked for its meaning. */
const unknownPlace = (path: string, context: MemberContext) => ({
  channel: `unknown/${channelWordOf(path)}`,
  asks: { unit: null },
  described: { ...describeMember(path, context), unit: null },
});

/**
 * Returns channel and question of a volume without a unit. The owner is asked for its meaning. The channel shows that the quantity is not
 * an energy.
 */
const volumePlace = (path: string) => ({ channel: `m3/unknown/${channelWordOf(path)}`, asks: { unit: null } });

const isCounted = ({ channel }: MetricQuantity): boolean => !/(?:^|\/)(?:unknown|ignored)\//.test(channel);

/**
 * Replaces powers by questions to the owner if they may belong to an inverter, because their names state no direction, or if they may be a
 * surplus, because their names contain only a subject and a unit (`pv/watt`). If the meaning of a register of the device is known, returns
 * the powers unchanged.
 */
function withDoubtfulPowers(
  all: ReadonlyMap<string, MetricQuantity | null>,
): ReadonlyMap<string, MetricQuantity | null> {
  const isRegister = (one: MetricQuantity | null) => one?.unit.kind === 'energy_total_kwh' && isCounted(one);
  if ([...all.values()].some(isRegister)) return all;
  const isDoubtful = (one: MetricQuantity) =>
    one.unit.kind === 'power_w' &&
    isCounted(one) &&
    one.described?.isAlone === true &&
    getRegisterProperties(one.described).way === null &&
    (isUnitOfSubject(one.described.names[0] ?? '') || /(?:^|\/)import(?:\/|$)/.test(one.channel));
  return new Map([...all].map(([name, one]) => [name, one && isDoubtful(one) ? asked(name, one) : one]));
}

/** Whether a name consists of a subject and a unit (`pv/watt`). Its value may be the surplus, which is negative at night. */
const isUnitOfSubject = (path: string): boolean =>
  /\/k?w(?:atts?)?$/i.test(path) && !isEnergyOrPowerName(path.slice(0, path.lastIndexOf('/')));

/** Matches channels of gas, water and heat. */
const OF_OTHER_COMMODITY = /(?:^|\/)(?:gas|water|heat)\/(?:import|m3)(?:\/|$)/;

/**
 * Replaces gas, water or heat by a question to the owner if it is the only number of its topic and may be the consumption of a period.
 * Joules are excluded, because only registers of heat meters are in joules.
 */
function withDoubtfulConsumption(
  all: ReadonlyMap<string, MetricQuantity | null>,
  device: string,
  { isLone }: MemberContext,
): ReadonlyMap<string, MetricQuantity | null> {
  const isDoubtful = (name: string, { channel, unit }: MetricQuantity) =>
    OF_OTHER_COMMODITY.test(channel) &&
    unit.kind !== 'power_w' &&
    unit.per !== MEGAJOULES_PER_KWH &&
    isConsumptionOfUnknownTime(`${device}/${name}`);
  if (!isLone) return all;
  return new Map([...all].map(([name, one]) => [name, one && isDoubtful(name, one) ? asked(name, one) : one]));
}

/** Replaces energies by questions to the owner if they may be energies of a day or another period that the message states. */
function withDoubtfulEnergies(
  all: ReadonlyMap<string, MetricQuantity | null>,
  members: readonly NumberWithPath[],
  { isStrict, isOfDay }: MemberContext,
): ReadonlyMap<string, MetricQuantity | null> {
  const isEnergy = (one: MetricQuantity | null) => one?.unit.kind === 'energy_total_kwh' && isCounted(one);
  if (!isStrict || ![...all.values()].some(isEnergy)) return all;
  const isOfPeriod: (path: string) => boolean = isOfDay ? () => true : createPeriodEnergyChecker(members);
  return new Map(
    [...all].map(([name, one]) => [name, one && isEnergy(one) && isOfPeriod(name) ? asked(name, one) : one]),
  );
}

const asked = (name: string, one: MetricQuantity): MetricQuantity =>
  one.unit.kind === 'volume_total_m3'
    ? { ...one, ...volumePlace(name), asks: { unit: 'm³' } }
    : {
        ...one,
        channel: `unknown/${channelWordOf(name)}`,
        asks: { unit: one.unit.kind === 'power_w' ? 'W' : 'kWh' },
      };

/** Whether the name means an energy and the message states a unit of power. One of them is wrong, so the owner is asked. */
const isContradiction = (path: string, unit: string | undefined): boolean =>
  unit !== undefined && isEnergyName(path) && findMetricUnit(unit)?.kind === 'power_w';

/** Whether a topic level states which flow of energy a number below the level is. */
function statesFlow(level: string): boolean {
  const { direction, medium, has } = getNameMeaning(level);
  return direction !== null || medium !== '' || (['produced', 'charge', 'discharge'] as const).some(has);
}

/** Returns the meaning of a member by its name, the names around it and the unit that the message states. */
function meaningOf(path: string, unit: string | undefined, context: MemberContext): MetricMeaning | null {
  const { around = [] } = context;
  const meaning = findMetricMeaning(path, unit);
  if (isContradiction(path, unit)) return null;
  // The topic may name the commodity of a volume: `gas/meter` with `total_m3`.
  if (!meaning?.described) return meaning ?? metricVolumeOf([...around.toReversed(), path].join('/'), unit);
  // A name that is only a unit identifies no register: `wh` may be the energy of a session.
  const isPower = meaning.unit.kind === 'power_w';
  const isNamed = isPower ? around.length > 0 : around.some(statesFlow);
  const isBare = context.isStrict && meaning.words.length === 0 && !isNamed;
  // Even if the topic names panels, a number whose name is only a unit need not be the production of the panels: `pv/watt` may be the
  // surplus.
  const bare = isBare && { isAlone: true as const, device: '', ...(!isPower && { isUncertain: true as const }) };
  // A topic such as `session_info` limits an energy to a period, but not a power.
  const names = isPower ? around.filter((level) => getNameMeaning(level).not !== 'period') : around;
  const described = { ...meaning.described, ...describeMember(path, { ...context, around: names }), ...bare };
  return getRegisterProperties(described).not === null ? { ...meaning, described } : null;
}

function metricVolumeOf(path: string, unit: string | undefined): MetricMeaning | null {
  const meaning = findMetricMeaning(path, unit);
  return meaning?.unit.kind === 'volume_total_m3' ? meaning : null;
}
