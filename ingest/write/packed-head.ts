import type { ByteRing } from './byte-ring.ts';
import { type Head, parseLaws } from './head.ts';
import { type StandingSeries, seriesName } from './standing.ts';

/** What series are called, by a number each: a million meters share a few names. */
export interface SeriesNames {
  /** -1: there are too many. */
  numberOf(channel: string, kind: string): number;
  /** No more can be added: who keeps them begins anew. */
  isFull(): boolean;
  nameOf(number: number): SeriesName;
}

interface SeriesName {
  readonly name: string;
  readonly channel: string;
  readonly kind: string;
}

const MAX_NAMES = 10_000;
/** More series than this are no meter's: what has them is not packed. */
const MAX_SERIES = 256;

export function seriesNames(): SeriesNames {
  const numbers = new Map<string, number>();
  const names: SeriesName[] = [];
  return {
    numberOf(channel, kind) {
      const name = seriesName(channel, kind);
      const known = numbers.get(name);
      if (known !== undefined) return known;
      if (names.length === MAX_NAMES) return -1;
      numbers.set(name, names.length);
      return names.push({ name, channel, kind }) - 1;
    },
    isFull: () => names.length === MAX_NAMES,
    nameOf: (number) => names[number] as SeriesName,
  };
}

/** Version, three settings, 8 bytes each; lengths of the open hour, the laws and the user_id, number of series, 4 bytes each. */
const FIXED_BYTES = 48;
/** A series: its name's number, and its roles. */
const SERIES_BYTES = 4;
/** In place of a length: there is no text. */
const NONE = 0xffffffff;

/**
 * Writes a settled head into its record. `laws`: `lawsOf` it. Without `closedUntilMs`: what is planned on a remembered head follows
 * all that is stored, so also all that retention has closed. Answers false where it does not fit; the ring then has none of it.
 */
export function packHead(ring: ByteRing, names: SeriesNames, head: Head, laws: string): boolean {
  const { deviceId, userId, settings, series, version, open } = head;
  const { bytes } = ring;
  const textBytes = (open?.length ?? 0) + laws.length + userId.length;
  if (series.size > MAX_SERIES) {
    ring.delete(deviceId);
    return false;
  }
  let at = ring.reserve(deviceId, FIXED_BYTES + series.size * SERIES_BYTES + textBytes);
  if (at === -1) return false;
  bytes.writeDoubleLE(version, at);
  bytes.writeDoubleLE(settings.limitKw, at + 8);
  bytes.writeDoubleLE(settings.registerMaxKwh ?? Number.NaN, at + 16);
  bytes.writeDoubleLE(settings.maxGapMinutes, at + 24);
  bytes.writeUInt32LE(open?.length ?? NONE, at + 32);
  bytes.writeUInt32LE(laws.length, at + 36);
  bytes.writeUInt32LE(userId.length, at + 40);
  bytes.writeUInt32LE(series.size, at + 44);
  at += FIXED_BYTES;
  for (const { channel, kind, roles, lastReadAtMs } of series.values()) {
    const name = names.numberOf(channel, kind);
    // The laws leave out a series without readings.
    if (name === -1 || lastReadAtMs === null) {
      ring.delete(deviceId);
      return false;
    }
    bytes.writeUInt16LE(name, at);
    bytes.writeUInt8(Number(roles.import) + 2 * Number(roles.export), at + 2);
    at += SERIES_BYTES;
  }
  // All of them ASCII: numbers and names of ours.
  if (open !== null) at += bytes.write(open, at, 'latin1');
  at += bytes.write(laws, at, 'latin1');
  bytes.write(userId, at, 'latin1');
  return true;
}

/** Reads a head from its record; null: there is none. */
export function unpackHead({ bytes, placeOf }: ByteRing, names: SeriesNames, deviceId: string): Head | null {
  const place = placeOf(deviceId);
  if (place === -1) return null;
  const text = (from: number, length: number) => bytes.toString('latin1', from, from + length);
  const openBytes = bytes.readUInt32LE(place + 32);
  const lawsBytes = bytes.readUInt32LE(place + 36);
  let at = place + FIXED_BYTES;
  const openAt = at + bytes.readUInt32LE(place + 44) * SERIES_BYTES;
  const open = openBytes === NONE ? null : text(openAt, openBytes);
  const lawsAt = openAt + (open?.length ?? 0);
  const series = new Map<string, StandingSeries>();
  for (const [seriesId, lastReadAtMs, tail] of parseLaws(text(lawsAt, lawsBytes))) {
    const { name, channel, kind } = names.nameOf(bytes.readUInt16LE(at));
    const bits = bytes.readUInt8(at + 2);
    const roles = { import: (bits & 1) !== 0, export: (bits & 2) !== 0 };
    series.set(name, {
      seriesId,
      channel,
      kind,
      roles,
      lastReadAtMs,
      tail,
      closedUntilMs: null,
    });
    at += SERIES_BYTES;
  }
  const registerMaxKwh = bytes.readDoubleLE(place + 16);
  return {
    deviceId,
    userId: text(lawsAt + lawsBytes, bytes.readUInt32LE(place + 40)),
    settings: {
      limitKw: bytes.readDoubleLE(place + 8),
      registerMaxKwh: Number.isNaN(registerMaxKwh) ? null : registerMaxKwh,
      maxGapMinutes: bytes.readDoubleLE(place + 24),
    },
    computedWith: null,
    series,
    version: bytes.readDoubleLE(place),
    open,
    isSettled: true,
  };
}
