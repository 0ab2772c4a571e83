import { HOUR_MS, MINUTE_MS } from '#src/core/units.ts';

/**
 * The thresholds of the rule (docs/fleet.md). A device stops when its last reading was received, so those of one cause stop within the time
 * between two readings of each.
 */
export const THRESHOLDS = {
  /** Homes that stop within it are looked at together. */
  windowMs: 5 * MINUTE_MS,
  /** The same of the devices of one home or gateway: some tell every ten seconds, some every quarter of an hour. */
  siteWindowMs: 30 * MINUTE_MS,
  /** How many homes stop anyway is taken from so long before and after. */
  aroundMs: 12 * HOUR_MS,
  /** Share of the windows around that are left out of it, the highest: outages are not what happens anyway. */
  trimmed: 0.1,
  /** What is less likely than this by chance is an outage: about one false one in a million stops. */
  chance: 1e-6,
  /** What is less likely than this, but not so unlikely, is said to be unsure. */
  unlikely: 1e-3,
  /** A device that stopped alone so often in `habitMs` before, never for half as long, does so by habit. */
  habits: 3,
  habitMs: 7 * 24 * HOUR_MS,
} as const;

/** A silence of a device that had been heard. Times in Unix ms. */
export interface Silence {
  deviceId: string;
  userId: string;
  /** Null: it logs in itself. */
  gatewayId: string | null;
  beganMs: number;
  /** Null: it goes on. */
  endedMs: number | null;
}

/** How many devices that were ever heard each home and each gateway has. */
export interface Sites {
  homes: ReadonlyMap<string, number>;
  gateways: ReadonlyMap<string, number>;
}

export const STOP_KINDS = ['outage', 'gateway', 'home', 'device', 'habit'] as const;
type StopKind = (typeof STOP_KINDS)[number];

/** Why a group is what it is. The last four leave a doubt. */
export const STOP_REASONS = [
  'beyond_chance',
  'whole_gateway',
  'whole_home',
  'others_go_on',
  'often_silent',
  'part_of_gateway',
  'part_of_home',
  'only_device',
  'others_stopped_too',
] as const;
type StopReason = (typeof STOP_REASONS)[number];

/** Stops of one cause, as far as can be told. */
export interface StopGroup {
  kind: StopKind;
  isSure: boolean;
  because: StopReason;
  /** The earliest first. */
  stops: readonly Silence[];
}

/** Stops of one home, one after the other. */
interface HomeStops {
  userId: string;
  stops: Silence[];
  /** Of the last of them: of devices that stop for one cause the one that tells most often is closest to it. */
  atMs: number;
}

/**
 * What stopped together. Each silence is in exactly one group. Whether devices came back together says nothing: after an outage some
 * come back by themselves and some wait for their owners.
 *
 * 1. Homes, not devices, are counted, since all of a home is one unit. More homes within five minutes than chance allows beside what
 *    stops anyway are an `outage`: a broker, a network, a region.
 * 2. All devices of a gateway, or of a home, that were being heard are a `gateway` or a `home`; a part of them is so, too, but unsure.
 * 3. What is left stopped alone: a `device`, unsure where nothing else of its home could have gone on, or where many others stopped, too;
 *    or a `habit`.
 *
 * Pure. `nowMs`: until when silences that go on are known.
 */
export function groupStops(silences: readonly Silence[], sites: Sites, nowMs: number): StopGroup[] {
  const homes = homesThatStopped(silences);
  const { outages, raised } = togetherBeyondChance(homes);
  const talking = talkingOf(silences, sites);
  const taken = new Set(outages.flat());
  const groups: StopGroup[] = outages.map((several) => ({
    kind: 'outage',
    isSure: true,
    because: 'beyond_chance',
    stops: inOrder(several.flatMap(({ stops }) => stops)),
  }));
  for (const home of homes) {
    if (!taken.has(home)) groups.push(...groupsOfHome(home, talking, raised.has(home)));
  }
  return withHabits(groups, nowMs).sort((one, other) => beganOf(one) - beganOf(other));
}

const byTime = (one: Silence, other: Silence) =>
  one.beganMs - other.beganMs || (one.deviceId < other.deviceId ? -1 : one.deviceId > other.deviceId ? 1 : 0);
const inOrder = (stops: readonly Silence[]) => [...stops].sort(byTime);
const beganOf = ({ stops }: StopGroup) => stops[0]?.beganMs ?? 0;

function by<T>(items: readonly T[], keyOf: (item: T) => string | null): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const list = found.get(key);
    if (list) list.push(item);
    else found.set(key, [item]);
  }
  return found;
}

/** Stops of each home, cut where nothing more of it stopped for half an hour; by time. */
function homesThatStopped(silences: readonly Silence[]): HomeStops[] {
  const homes: HomeStops[] = [];
  for (const [userId, ofHome] of by(silences, (one) => one.userId)) {
    let last: HomeStops | undefined;
    for (const stop of inOrder(ofHome)) {
      if (last && stop.beganMs - last.atMs <= THRESHOLDS.siteWindowMs) {
        last.stops.push(stop);
        last.atMs = stop.beganMs;
      } else {
        last = { userId, stops: [stop], atMs: stop.beganMs };
        homes.push(last);
      }
    }
  }
  return homes.sort((one, other) => one.atMs - other.atMs || (one.userId < other.userId ? -1 : 1));
}

/** Homes that stopped within five minutes of each other, more of them than chance allows; and those of which there were unlikely many. */
function togetherBeyondChance(homes: readonly HomeStops[]): { outages: HomeStops[][]; raised: ReadonlySet<HomeStops> } {
  const { windowMs, chance, unlikely } = THRESHOLDS;
  const usual = usualPerWindow(homes);
  const outages: HomeStops[][] = [];
  const raised = new Set<HomeStops>();
  // Those up to here are in the last outage, or were found unlikely.
  let [outUntil, raisedUntil] = [-1, -1];
  for (let first = 0, last = 0; first < homes.length; first++) {
    const fromMs = (homes[first] as HomeStops).atMs;
    while (last + 1 < homes.length && (homes[last + 1] as HomeStops).atMs <= fromMs + windowMs) last++;
    // A window begins with a stop: how likely are so many others?
    const others = last - first;
    const likelihood = others < 2 ? 1 : chanceOfAsMany(others, usual(fromMs));
    if (likelihood < chance) {
      if (first > outUntil) outages.push([]);
      const outage = outages.at(-1) as HomeStops[];
      for (let index = Math.max(first, outUntil + 1); index <= last; index++) outage.push(homes[index] as HomeStops);
      outUntil = last;
    }
    if (likelihood < unlikely) {
      for (let index = Math.max(first, raisedUntil + 1); index <= last; index++) raised.add(homes[index] as HomeStops);
      raisedUntil = last;
    }
  }
  return { outages, raised };
}

/**
 * How many homes stop in a window around a time without any outage: the mean of the windows around, where the highest count as the highest
 * of the others does, or as one.
 */
function usualPerWindow(homes: readonly HomeStops[]): (atMs: number) => number {
  const { windowMs, aroundMs, trimmed } = THRESHOLDS;
  const counts = new Map<number, number>();
  for (const { atMs } of homes) {
    const window = Math.floor(atMs / windowMs);
    counts.set(window, (counts.get(window) ?? 0) + 1);
  }
  const reach = Math.round(aroundMs / windowMs);
  const windows = 2 * reach + 1;
  const highest = Math.round(windows * trimmed);
  const known = new Map<number, number>();
  return (atMs) => {
    const hour = Math.floor(atMs / HOUR_MS);
    const before = known.get(hour);
    if (before !== undefined) return before;
    const middle = Math.floor((hour * HOUR_MS) / windowMs);
    const around: number[] = [];
    for (let window = middle - reach; window <= middle + reach; window++) {
      const count = counts.get(window);
      if (count !== undefined) around.push(count);
    }
    around.sort((one, other) => other - one);
    const most = Math.max(1, around[highest] ?? 0);
    const sum = around.reduce((sum, count) => sum + Math.min(count, most), 0);
    // Upwards: it is an estimate, and where nothing stopped in a day something may all the same.
    const usual = 1.3 * (sum / windows) + 0.01;
    known.set(hour, usual);
    return usual;
  };
}

/** How many devices of a home or gateway were being heard shortly before a time. */
interface Talking {
  inHome(userId: string, atMs: number): number;
  atGateway(gatewayId: string, atMs: number): number;
}

function talkingOf(silences: readonly Silence[], sites: Sites): Talking {
  const homes = by(silences, (one) => one.userId);
  const gateways = by(silences, (one) => one.gatewayId);
  const count = (all: number, ofSite: readonly Silence[] = [], atMs: number) => {
    const silent = new Set<string>();
    for (const { deviceId, beganMs, endedMs } of ofSite) {
      if (beganMs < atMs && (endedMs === null || endedMs > atMs)) silent.add(deviceId);
    }
    return Math.max(0, all - silent.size);
  };
  return {
    inHome: (id, atMs) => count(sites.homes.get(id) ?? 0, homes.get(id), atMs),
    atGateway: (id, atMs) => count(sites.gateways.get(id) ?? 0, gateways.get(id), atMs),
  };
}

/** What the stops of a home come of that are part of no outage. */
function groupsOfHome({ userId, stops }: HomeStops, talking: Talking, isRaised: boolean): StopGroup[] {
  const atMs = stops[0]?.beganMs ?? 0;
  const inHome = talking.inHome(userId, atMs);
  const group = (kind: StopKind, because: StopReason, of: readonly Silence[], isSure = true): StopGroup =>
    isSure && isRaised
      ? { kind, isSure: false, because: 'others_stopped_too', stops: of }
      : { kind, isSure, because, stops: of };
  if (stops.length > 1 && stops.length >= inHome) {
    const gateways = new Set(stops.map(({ gatewayId }) => gatewayId));
    const isOfOne = gateways.size === 1 && !gateways.has(null);
    return [isOfOne ? group('gateway', 'whole_gateway', stops) : group('home', 'whole_home', stops)];
  }
  const groups: StopGroup[] = [];
  const rest = new Set(stops);
  for (const [gatewayId, ofGateway] of by(stops, (one) => one.gatewayId)) {
    if (ofGateway.length < 2) continue;
    const isWhole = ofGateway.length >= talking.atGateway(gatewayId, atMs);
    groups.push(group('gateway', isWhole ? 'whole_gateway' : 'part_of_gateway', ofGateway, isWhole));
    for (const stop of ofGateway) rest.delete(stop);
  }
  const left = [...rest];
  if (left.length > 1) groups.push(group('home', 'part_of_home', left, false));
  else if (left.length === 1) {
    const isOnly = inHome <= 1;
    groups.push(group('device', isOnly ? 'only_device' : 'others_go_on', left, !isOnly));
  }
  return groups;
}

/** Tells apart devices that stop alone again and again, and no longer than they use to. */
function withHabits(groups: readonly StopGroup[], nowMs: number): StopGroup[] {
  const { habits, habitMs } = THRESHOLDS;
  const alone = by(
    groups.filter(({ kind }) => kind === 'device'),
    ({ stops }) => stops[0]?.deviceId ?? null,
  );
  const lengthOf = ({ beganMs, endedMs }: Silence) => (endedMs ?? nowMs) - beganMs;
  return groups.map((group) => {
    const stop = group.stops[0];
    if (group.kind !== 'device' || !stop) return group;
    const before = (alone.get(stop.deviceId) ?? []).flatMap(({ stops }) =>
      stops.filter(({ beganMs }) => beganMs < stop.beganMs && beganMs >= stop.beganMs - habitMs),
    );
    const longest = Math.max(0, ...before.map(lengthOf));
    if (before.length < habits || lengthOf(stop) > 2 * longest) return group;
    return { ...group, kind: 'habit', isSure: true, because: 'often_silent' };
  });
}

/** Logarithm of n!, by Stirling's series (relative error below 1e-10 from 10 on; exact below). */
function logFactorial(n: number): number {
  if (n < 10) return Math.log([1, 1, 2, 6, 24, 120, 720, 5_040, 40_320, 362_880][n] ?? 1);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
}

/** Chance that of events which have nothing to do with each other `n` or more come where `mean` are expected (Poisson). Pure. */
export function chanceOfAsMany(n: number, mean: number): number {
  if (n <= 0) return 1;
  if (mean <= 0) return 0;
  // At and below the mean it is never small, and the sum below would be long.
  if (n <= mean) return 1;
  let term = Math.exp(n * Math.log(mean) - mean - logFactorial(n));
  let sum = 0;
  for (let k = n; term > sum * 1e-12; k++) {
    sum += term;
    term *= mean / (k + 1);
  }
  return Math.min(1, sum);
}
