import { scaleDecimal } from '#src/core/units.ts';
import { PLAUSIBLE_BOUNDS } from '../decoder.ts';
import type { DecodedValue, FamilyDecodeResult, OwnerQuestion, ValueKind } from '../family.ts';
import type { RegisterDescription } from '../registers-of-a-device/register.ts';
import { readBoolean, readNumber } from './number.ts';

/** Plausible minimum and maximum by kind of value. */
const RANGES: Record<ValueKind, readonly [number, number]> = {
  ...PLAUSIBLE_BOUNDS,
  heating: [0, 1],
  availability: [0, 1],
};
const DEVICE = /^\P{Cc}{1,128}$/u;
export const isDeviceId = (id: string): boolean => DEVICE.test(id);
/**
 * Maximum length of a channel name. Real names have about 40 characters. The name is part of an index key, and PostgreSQL limits the size
 * of index keys.
 */
const MAX_CHANNEL = 128;
const MAX_SAID = 10_000;
/** Maximum number of refusals that are reported for one message. */
const MAX_REFUSED = 100;

/** A quantity as the message contains it. */
export interface MessageQuantity {
  device: string;
  channel: string;
  kind: ValueKind;
  /** Value as in the message: a number, a text or null (no value). */
  value: unknown;
  /**
   * Factor (`times`) and divisor (`per`) that convert the value to the unit of its kind: `times` 1000 from kW to W, `per` 1000 from Wh to
   * kWh.
   */
  times?: number;
  per?: number;
  /** Minimum of the value, if another minimum than the kind's applies. For example, a net register may be negative. */
  least?: number;
  /** The message's own time, already checked for plausibility (`parseMessageTime`). If null or missing, the time of receipt applies. */
  atMs?: number | null;
  intervalMs?: number;
  /** Name of the quantity in the message, shown to the owner and used in refusals. */
  name: string;
  asks?: OwnerQuestion | undefined;
  key?: string | undefined;
  described?: RegisterDescription | undefined;
}

/** Collects the values of one message and checks each of them independently. */
export interface ValueCollector extends FamilyDecodeResult {
  /**
   * Adds a quantity. Ignores the quantity if the device reports no value (null, nan, unknown). Refuses a value that is not a number or not
   * plausible.
   */
  add(quantity: MessageQuantity): void;
  /** Adds a state of kind `heating` or `availability`; refuses a word that is not a state. */
  addState(state: Omit<MessageQuantity, 'times' | 'per' | 'intervalMs'>): void;
  /** Refuses an element of the message, and records the element's device if it is known. */
  refuse(reason: string, device?: string): void;
  /** Records a device whose messages contain no usable value until the owner has set a unit. */
  see(device: string): void;
  seen: string[];
  blamed: string[];
}

/** Returns an empty collector for the values of one message. */
export function createValueCollector(): ValueCollector {
  const decoded: FamilyDecodeResult = { said: [], refused: [] };
  const seen: string[] = [];
  const blamed: string[] = [];
  const refuse = (reason: string, device?: string) => {
    if (device !== undefined) blamed.push(device);
    const { length } = decoded.refused;
    if (length < MAX_REFUSED) decoded.refused.push(reason);
    else if (length === MAX_REFUSED) decoded.refused.push(`more than ${MAX_REFUSED} parts of it cannot be used`);
  };
  const push = (one: FamilyDecodeResult['said'][number]) => {
    if (!isDeviceId(one.device)) refuse('the id of the device is empty, too long, or has control characters');
    else if (one.channel.length > MAX_CHANNEL) refuse('a name in it is too long for a channel', one.device);
    else if (decoded.said.length >= MAX_SAID) refuse(`a message contains more than ${MAX_SAID} values`);
    else decoded.said.push(one);
  };
  return {
    ...decoded,
    seen,
    blamed,
    refuse,
    see: (device) => void (isDeviceId(device) && seen.push(device)),
    add({ device, channel, kind, value, times = 1, per = 1, atMs = null, intervalMs, name, asks, ...given }) {
      const { least = RANGES[kind][0] } = given;
      const read = readNumber(value);
      if (read === null) return;
      if (read === undefined) return refuse(`${name} is not a number`, device);
      const [, most] = RANGES[kind];
      const exact = scaleDecimal(read, times, per);
      if (!(exact >= least && exact <= most))
        return refuse(`${name} is not within ${least} to ${most} (${kind})`, device);
      const one: DecodedValue = { device, channel, kind, value: exact, atMs, native: name };
      if (intervalMs !== undefined) one.intervalMs = intervalMs;
      if (asks) one.asks = asks;
      if (given.key !== undefined) one.key = given.key;
      if (given.described) one.described = given.described;
      push(one);
    },
    addState({ device, channel, kind, value, atMs = null, name }) {
      const state = readBoolean(value);
      if (state === null) return;
      if (state === undefined) refuse(`${name} is no state`, device);
      else push({ device, channel, kind, value: state, atMs, native: name });
    },
  };
}

/** Returns the result of a message that belongs to the family but contains no readings: a command, an echo or irrelevant data. */
export const createEmptyResult = (): FamilyDecodeResult => ({ said: [], refused: [] });

/** Returns the result of a message that belongs to the family but is unusable as a whole. */
export const createRefusedResult = (reason: string): FamilyDecodeResult => ({ said: [], refused: [reason] });

/** Converts a number in Fahrenheit to Celsius; returns any other value, and a value in Celsius, unchanged. */
export function convertToCelsius(value: unknown, unit: 'C' | 'F'): unknown {
  if (unit === 'C') return value;
  const read = readNumber(value);
  return typeof read === 'number' ? ((read - 32) * 5) / 9 : value;
}

/** Negates a number, for devices that report generation or discharge as positive. Returns anything else unchanged. */
export function negateNumber(value: unknown): unknown {
  const read = readNumber(value);
  return typeof read === 'number' && read !== 0 ? -read : value;
}
