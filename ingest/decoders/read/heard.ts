import { scaled } from '#src/core/units.ts';
import { BOUNDS } from '../decoder.ts';
import type { Asks, Heard, Said, SaidKind } from '../family.ts';
import type { Described } from '../registers-of-a-device/register.ts';
import { readBoolean, readNumber } from './number.ts';

/** Plausible bounds by kind. */
const RANGES: Record<SaidKind, readonly [number, number]> = { ...BOUNDS, heating: [0, 1], availability: [0, 1] };
const DEVICE = /^\P{Cc}{1,128}$/u;
/** Whether an id can be the native id of a device. */
export const isDeviceId = (id: string): boolean => DEVICE.test(id);
/** Longest name of a channel. Real ones have some 40 characters; it is part of a key, which an index bounds. */
const MAX_CHANNEL = 128;
const MAX_SAID = 10_000;
/** Most reasons that are told of one message. */
const MAX_REFUSED = 100;

/** A quantity as it stands in a message. */
export interface Quantity {
  device: string;
  channel: string;
  kind: SaidKind;
  /** As in the message: a number, a text, null. */
  value: unknown;
  /** To the unit of the kind: `times` 1000 for kW as W, `per` 1000 for Wh as kWh. */
  times?: number;
  per?: number;
  /** The least that it can be, where that is not the kind's: a net register falls below 0. */
  least?: number;
  /** The message's own time, checked (`trusted`); null or left out: that of its receipt. */
  atMs?: number | null;
  intervalMs?: number;
  /** How the message calls it: what its owner sees, and the reason where it is no number. */
  name: string;
  asks?: Asks | undefined;
  key?: string | undefined;
  described?: Described | undefined;
}

/** Collects what a message says, each quantity checked by itself. */
export interface Hearing extends Heard {
  /** Adds a quantity; nothing where the device says that it has none (null, nan, unknown), a refusal where it is rubbish. */
  add(quantity: Quantity): void;
  /** Adds `heating` or `availability`; a word that is no state is refused. */
  addState(state: Omit<Quantity, 'times' | 'per' | 'intervalMs'>): void;
  /** Refuses a part of the message, of this device where that is known. */
  refuse(reason: string, device?: string): void;
  /** Notes a device of which nothing can be said until its owner has set its unit. */
  see(device: string): void;
  seen: string[];
  blamed: string[];
}

/** Starts collecting what a message says. */
export function hearing(): Hearing {
  const heard: Heard = { said: [], refused: [] };
  const seen: string[] = [];
  const blamed: string[] = [];
  const refuse = (reason: string, device?: string) => {
    if (device !== undefined) blamed.push(device);
    const { length } = heard.refused;
    if (length < MAX_REFUSED) heard.refused.push(reason);
    else if (length === MAX_REFUSED) heard.refused.push(`more than ${MAX_REFUSED} parts of it cannot be used`);
  };
  const push = (one: Heard['said'][number]) => {
    if (!isDeviceId(one.device)) refuse('the id of the device is empty, too long, or has control characters');
    else if (one.channel.length > MAX_CHANNEL) refuse('a name in it is too long for a channel', one.device);
    else if (heard.said.length >= MAX_SAID) refuse(`a message says more than ${MAX_SAID} things`);
    else heard.said.push(one);
  };
  return {
    ...heard,
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
      const exact = scaled(read, times, per);
      if (!(exact >= least && exact <= most))
        return refuse(`${name} is not within ${least} to ${most} (${kind})`, device);
      const one: Said = { device, channel, kind, value: exact, atMs, native: name };
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

/** A message of the family's own that says nothing: a command, an echo, what is of no interest. */
export const nothing = (): Heard => ({ said: [], refused: [] });

/** A message of the family's own that cannot be used at all. */
export const refusal = (reason: string): Heard => ({ said: [], refused: [reason] });

/** Fahrenheit as Celsius, unless it is no number. */
export function celsius(value: unknown, unit: 'C' | 'F'): unknown {
  if (unit === 'C') return value;
  const read = readNumber(value);
  return typeof read === 'number' ? ((read - 32) * 5) / 9 : value;
}

/** A number with the other sign: devices that give count as positive what they give. Anything else as it is. */
export function turned(value: unknown): unknown {
  const read = readNumber(value);
  return typeof read === 'number' && read !== 0 ? -read : value;
}
