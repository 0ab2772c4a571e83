import { addInterval } from '#ingest/normalise/buckets.ts';
import type { EnergyInterval, Findings, LawSettings } from '#ingest/normalise/law.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { hasRisen, latestWithin, stepAround, stepsOfRun } from '#ingest/normalise/tariffs.ts';
import type { DecodedReading } from '../decoders/decoder.ts';
import type { IncomingMessage } from '../message.ts';
import { NUMBER_BYTES } from './byte-ring.ts';
import { timeFault } from './collect.ts';
import { newVersion } from './head.ts';
import type { HeadMemory } from './head-memory.ts';
import {
  lengthAt,
  mayCountOtherwise,
  PLACE,
  packState,
  rolesOf,
  SERIES_PLACE,
  SERIES_PLACES,
  unpackState,
  userIdAt,
  writeState,
} from './head-record.ts';
import { HOUR_MS, MAX_OPEN_BYTES, openSums, PLACES, writeOpenHour } from './open-hour.ts';
import { type TextElements, textWriter, writeWhole } from './statement.ts';

/** What a batch does to devices of which all that it has just follows what is remembered. */
export interface Followed {
  /** These devices, by their names. */
  readonly deviceIds: readonly string[];
  /** Their heads: the versions they were, and those they become; and what is stored of them. */
  readonly was: readonly number[];
  readonly versions: readonly number[];
  readonly laws: TextElements;
  readonly opens: TextElements;
  /** Their readings, a row in each. */
  readonly seriesIds: readonly number[];
  readonly readings: readonly DecodedReading[];
  /** Readings that are known. */
  readonly duplicates: number;
  /** Hours that change, Unix ms, and whose. All of them are open. */
  readonly changes: readonly { readonly hourMs: number; readonly userId: string }[];
  /** Messages of all other devices. */
  readonly others: readonly IncomingMessage[];
}

/** Most bytes of a series in `laws`, and of what surrounds them. */
const MAX_LAW_BYTES = 320;
/** Numbers of most heads: of a meter with one series. */
const USUAL_PLACES = PLACE.series + SERIES_PLACES;

const [COMMA, OPENING, CLOSING] = [44, 91, 93];
/** What a reading may be in the place of a series_id. */
const [OTHER, KNOWN] = [-1, -2];

/**
 * The short way of nearly all readings: those of settled, remembered devices that follow what is stored, stay within the hour that is
 * open, and are plainly counted. It does with numbers, in memory that it keeps, what the plan (plan.ts), the open hour and the
 * head after it come to: each object of these was made for one reading, and as many of them as there are devices were garbage
 * of each batch. The law is the same (`Law.step`, `addInterval`). A device of which anything else is in the batch is left to the plan
 * with all of its messages, as if nothing of it had been looked at.
 *
 * What becomes of the heads is remembered at once: it must be forgotten where the transaction does not commit.
 */
export function createFollow(memory: HeadMemory): (batch: readonly IncomingMessage[], oldestMs: number) => Followed {
  /** Heads of the batch's devices, as they become. */
  let heads = new Float64Array(USUAL_PLACES * 64);
  const [laws, opens] = [textWriter(), textWriter()];
  const sums = openSums();
  const settings: { -readonly [K in keyof LawSettings]: LawSettings[K] } = {
    limitKw: 0,
    registerMaxKwh: null,
    maxGapMinutes: 0,
  };
  /** What the law finds goes straight to the sums of the open hour. */
  let roles = rolesOf(0);
  let isPlain = true;
  /** Steps of a tariff that rose: where they lie depends on the others. */
  const risen: EnergyInterval[] = [];
  const findings: Findings = {
    interval(interval: EnergyInterval) {
      addInterval(sums, interval, roles, 1);
      if (roles.isTariff && hasRisen(interval)) risen.push(interval);
    },
    verdict() {
      isPlain = false;
    },
    takeBack() {
      isPlain = false;
    },
  };

  function makeRoom(places: number): void {
    if (places <= heads.length) return;
    const larger = new Float64Array(2 * places);
    larger.set(heads);
    heads = larger;
  }

  /**
   * Takes a reading, the number of its series' name, into a head. Answers the series_id; KNOWN: it is the last one once more (of gas a
   * meter tells the same for an hour); OTHER: it does not just follow.
   */
  function take(head: number, number: number, reading: DecodedReading): number {
    const end = head + lengthAt(heads, head);
    let at = head + PLACE.series;
    while (at < end && heads[at + SERIES_PLACE.name] !== number) at += SERIES_PLACES;
    if (at >= end) return OTHER;
    const { readAtMs, value } = reading;
    const lastReadAtMs = heads[at + SERIES_PLACE.lastReadAtMs] as number;
    if (readAtMs === lastReadAtMs && reading.intervalMs === 0 && value === heads[at + SERIES_PLACE.lastValue])
      return KNOWN;
    if (readAtMs <= lastReadAtMs) return OTHER;
    const roleNumber = heads[at + SERIES_PLACE.roles] as number;
    if (mayCountOtherwise(roleNumber, value)) return OTHER;
    roles = rolesOf(roleNumber);
    // What is told apart has buckets of its own.
    if (roles.meter !== null) return OTHER;
    settings.limitKw = heads[head + PLACE.limitKw] as number;
    const registerMaxKwh = heads[head + PLACE.registerMaxKwh] as number;
    settings.registerMaxKwh = Number.isNaN(registerMaxKwh) ? null : registerMaxKwh;
    settings.maxGapMinutes = heads[head + PLACE.maxGapMinutes] as number;
    const law = lawOfSeries(reading.channel, reading.kind, roles, settings);
    let state: unknown = null;
    sums.begin(heads[head + PLACE.hour] as number);
    if (law) {
      isPlain = true;
      risen.length = 0;
      state = law.step(unpackState(heads, at + SERIES_PLACE.state) ?? law.initial, reading, findings);
      if (!isPlain) return OTHER;
      for (const step of risen) if (!isApart(head, at, step)) return OTHER;
      if (!sums.addTo(heads, head + PLACE.quarters)) return OTHER;
    }
    if (!packState(state, heads, at + SERIES_PLACE.state)) return OTHER;
    heads[at + SERIES_PLACE.lastReadAtMs] = readAtMs;
    heads[at + SERIES_PLACE.lastValue] = value;
    return heads[at + SERIES_PLACE.seriesId] as number;
  }

  /** Whether a step of a tariff neither lies around one of another tariff's that rose, nor within one, as far as their runs tell. */
  function isApart(head: number, tariff: number, step: EnergyInterval): boolean {
    const end = head + lengthAt(heads, head);
    for (let at = head + PLACE.series; at < end; at += SERIES_PLACES) {
      // Of another circuit, too: there are few of these, and the plan knows.
      if (at === tariff || !rolesOf(heads[at + SERIES_PLACE.roles] as number).isTariff) continue;
      const { run } = unpackState(heads, at + SERIES_PLACE.state) as RegisterState;
      const known = run && stepsOfRun(run, 'import');
      if (!known || latestWithin(known, step) !== null || stepAround(known, step) !== null) return false;
    }
    return true;
  }

  function writeLaws(head: number): void {
    const count = heads[head + PLACE.seriesCount] as number;
    let place = laws.begin(2 + count * MAX_LAW_BYTES);
    const { bytes } = laws;
    bytes[place++] = OPENING;
    for (let one = 0; one < count; one++) {
      const at = head + PLACE.series + one * SERIES_PLACES;
      if (one > 0) bytes[place++] = COMMA;
      bytes[place] = OPENING;
      place = writeWhole(bytes, heads[at + SERIES_PLACE.seriesId] as number, place + 1);
      bytes[place] = COMMA;
      place = writeWhole(bytes, heads[at + SERIES_PLACE.lastReadAtMs] as number, place + 1);
      bytes[place] = COMMA;
      place = writeState(bytes, heads, at + SERIES_PLACE.state, place + 1);
      bytes[place++] = CLOSING;
    }
    bytes[place++] = CLOSING;
    laws.end(place);
  }

  function writeOpen(head: number): void {
    if (!hasOpenHour(heads, head)) heads[head + PLACE.hour] = Number.NaN;
    const hour = heads[head + PLACE.hour] as number;
    if (Number.isNaN(hour)) {
      opens.addNull();
      return;
    }
    const place = opens.begin(MAX_OPEN_BYTES);
    opens.end(writeOpenHour(opens.bytes, hour, heads, head + PLACE.quarters, place));
  }

  return (batch, oldestMs) => {
    laws.clear();
    opens.clear();
    const { ring, names } = memory.records();
    const ringNumbers = ring.numbers;
    /** Of each device of the batch that is remembered: its name, where its record is, where its head is here. */
    const ids: string[] = [];
    const records: number[] = [];
    const places: number[] = [];
    const isOther: boolean[] = [];
    const isChanged: boolean[] = [];
    /** How many of its readings are known. */
    const known: number[] = [];
    let used = 0;
    /** Which of these a message is of, -1: none; and its readings. */
    const deviceOf: number[] = [];
    const rowDevices: number[] = [];
    const rowSeries: number[] = [];
    const rows: DecodedReading[] = [];

    const found = memory.placesOf(batch.map(({ decoded }) => decoded.deviceId));
    const deviceIndex = (deviceId: string, place: number): number => {
      if (place === -1) return -1;
      const record = place / NUMBER_BYTES;
      const marked = ringNumbers[record + PLACE.mark] as number;
      // A record that was not marked in this batch has any number there, and is not the one that this batch marked with it.
      if (records[marked] === record) return marked;
      const length = lengthAt(ringNumbers, record);
      makeRoom(used + length);
      copyNumbers(ringNumbers, record, heads, used, length);
      ringNumbers[record + PLACE.mark] = ids.length;
      records.push(record);
      places.push(used);
      isOther.push(false);
      isChanged.push(false);
      known.push(0);
      used += length;
      return ids.push(deviceId) - 1;
    };

    for (let index = 0; index < batch.length; index++) {
      const message = batch[index] as IncomingMessage;
      const { deviceId, readings, rejections, status } = message.decoded;
      const device = deviceIndex(deviceId, found[index] as number);
      deviceOf.push(device);
      if (device === -1 || isOther[device]) continue;
      if (readings.length === 0 || rejections.length > 0 || status !== undefined) {
        isOther[device] = true;
        continue;
      }
      const head = places[device] as number;
      for (const reading of readings) {
        const number = names.find(reading.channel, reading.kind);
        const isTimely = timeFault(reading, message.judgedAtMs ?? message.receivedAtMs, oldestMs) === null;
        const seriesId = number !== -1 && isTimely ? take(head, number, reading) : OTHER;
        if (seriesId === OTHER) {
          isOther[device] = true;
          break;
        }
        if (seriesId === KNOWN) {
          known[device] = (known[device] as number) + 1;
          continue;
        }
        if (sums.isChanged) isChanged[device] = true;
        rowDevices.push(device);
        rowSeries.push(seriesId);
        rows.push(reading);
      }
    }

    const others = batch.filter((_, index) => {
      const device = deviceOf[index] as number;
      return device === -1 || isOther[device];
    });
    const isFollowed = (_: unknown, row: number) => !isOther[rowDevices[row] as number];
    // Neighbours in the index, and mostly in the table, one after the other.
    const followed = [...ids.keys()]
      .filter((device) => !isOther[device])
      .sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1));
    const [was, versions]: [number[], number[]] = [[], []];
    const changes: { hourMs: number; userId: string }[] = [];
    for (const device of followed) {
      const [head, record] = [places[device] as number, records[device] as number];
      if (isChanged[device]) {
        changes.push({ hourMs: (heads[head + PLACE.hour] as number) * HOUR_MS, userId: userIdAt(ring, record) });
      }
      was.push(heads[head + PLACE.version] as number);
      const version = newVersion();
      versions.push(version);
      heads[head + PLACE.version] = version;
      writeLaws(head);
      writeOpen(head);
      copyNumbers(heads, head, ringNumbers, record, lengthAt(heads, head));
    }
    return {
      deviceIds: followed.map((device) => ids[device] as string),
      was,
      versions,
      laws: laws.take(),
      opens: opens.take(),
      seriesIds: rowSeries.filter(isFollowed),
      readings: rows.filter(isFollowed),
      duplicates: followed.reduce((sum, device) => sum + (known[device] as number), 0),
      changes,
      others,
    };
  };
}

/** A function of its own: within a long one, which is run some times a second and never wholly compiled, each number becomes an object. */
function copyNumbers(from: Float64Array, fromPlace: number, to: Float64Array, toPlace: number, count: number): void {
  for (let index = 0; index < count; index++) to[toPlace + index] = from[fromPlace + index] as number;
}

/** Whether anything is left of the open hour. */
function hasOpenHour(heads: Float64Array, head: number): boolean {
  for (let index = head + PLACE.quarters; index < head + PLACE.quarters + PLACES; index++) {
    if (heads[index] !== 0) return true;
  }
  return false;
}
