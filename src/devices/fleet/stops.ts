import { HOUR_MS, MINUTE_MS } from '#src/core/units.ts';

/**
 * Thresholds of the rule that groups stops of devices (docs/fleet.md). The time of a stop is that of the device's last reading, so stops
 * with the same cause differ by up to the time between two readings.
 */
export const STOP_GROUPING_THRESHOLDS = {
  /** Length of the time window in ms in which simultaneous stops of homes are counted. */
  windowMs: 5 * MINUTE_MS,
  /** Maximum time in ms between two stops in a home, or behind a gateway, that are attributed to the same cause. */
  siteWindowMs: 30 * MINUTE_MS,
  /** Time in ms before and after a stop from which the usual number of stopping homes is estimated. */
  aroundMs: 12 * HOUR_MS,
  /**
   * Share of windows whose counts are capped in the estimate, so that earlier outages have little effect. These are the windows with the
   * most stopping homes.
   */
  trimmed: 0.1,
  /** If simultaneous stops are less probable than this, they are an outage. */
  chance: 1e-6,
  /** If simultaneous stops are less probable than this, the cause of each stop is reported as uncertain. */
  unlikely: 1e-3,
  /**
   * A stop is a habit if the device has stopped alone at least this many times in the preceding `habitMs`, and the silence is at most twice
   * as long as the longest of these earlier silences.
   */
  habits: 3,
  habitMs: 7 * 24 * HOUR_MS,
} as const;

/** A silence of a device that has sent readings before. Times are in Unix ms. */
export interface DeviceSilence {
  deviceId: string;
  userId: string;
  /** Gateway of the device. Null if the device logs in itself. */
  gatewayId: string | null;
  beganMs: number;
  /** End of the silence, Unix ms. Null if the silence still lasts. */
  endedMs: number | null;
}

/** Numbers of devices that have ever sent a reading, for each home and each gateway. */
export interface DeviceCountsBySite {
  homes: ReadonlyMap<string, number>;
  gateways: ReadonlyMap<string, number>;
}

export const STOP_GROUP_KINDS = ['outage', 'gateway', 'home', 'device', 'habit'] as const;
type StopKind = (typeof STOP_GROUP_KINDS)[number];

/** Reasons for the kind of a group of stops. The last four mean that the kind is uncertain. */
export const STOP_GROUP_REASONS = [
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
type StopReason = (typeof STOP_GROUP_REASONS)[number];

/** A group of stops that probably have the same cause. */
export interface DeviceStopGroup {
  kind: StopKind;
  isSure: boolean;
  because: StopReason;
  /** Silences of the group's devices, in order of their start. */
  stops: readonly DeviceSilence[];
}

interface HomeStops {
  userId: string;
  stops: DeviceSilence[];
  /** Time of the last stop in the home, Unix ms. The device that reports most often stops last. */
  atMs: number;
}

/**
 * Groups devices that stopped together. Each silence is in exactly one group. If many more homes than usual stop within five minutes, the
 * group is an `outage`. If devices of one gateway or home stop, it is a `gateway` or a `home`. Each remaining stop is a `device` or a
 * `habit`. `nowMs`: assumed end of silences that still last.
 */
export function groupDeviceStops(
  silences: readonly DeviceSilence[],
  sites: DeviceCountsBySite,
  nowMs: number,
): DeviceStopGroup[] {
  const homes = homesThatStopped(silences);
  const { outages, raised } = togetherBeyondChance(homes);
  const talking = talkingOf(silences, sites);
  const taken = new Set(outages.flat());
  const groups: DeviceStopGroup[] = outages.map((several) => ({
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

const byTime = (one: DeviceSilence, other: DeviceSilence) =>
  one.beganMs - other.beganMs || (one.deviceId < other.deviceId ? -1 : one.deviceId > other.deviceId ? 1 : 0);
const inOrder = (stops: readonly DeviceSilence[]) => [...stops].sort(byTime);
const beganOf = ({ stops }: DeviceStopGroup) => stops[0]?.beganMs ?? 0;

/** Returns the times at which devices of each home stopped sending, in order. Half an hour without a stop begins a new group. */
function homesThatStopped(silences: readonly DeviceSilence[]): HomeStops[] {
  const homes: HomeStops[] = [];
  for (const [userId, ofHome] of Map.groupBy(silences, (one) => one.userId)) {
    let last: HomeStops | undefined;
    for (const stop of inOrder(ofHome)) {
      if (last && stop.beganMs - last.atMs <= STOP_GROUPING_THRESHOLDS.siteWindowMs) {
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

/**
 * Finds homes that stopped together. `outages`: groups within five minutes that are too large to be chance. `raised`: homes in unusually
 * large groups that may be chance.
 */
function togetherBeyondChance(homes: readonly HomeStops[]): { outages: HomeStops[][]; raised: ReadonlySet<HomeStops> } {
  const { windowMs, chance, unlikely } = STOP_GROUPING_THRESHOLDS;
  const usual = usualPerWindow(homes);
  const outages: HomeStops[][] = [];
  const raised = new Set<HomeStops>();
  // Index of the last home in the latest outage, and in the latest unusually large group.
  let [outUntil, raisedUntil] = [-1, -1];
  for (let first = 0, last = 0; first < homes.length; first++) {
    const fromMs = (homes[first] as HomeStops).atMs;
    while (last + 1 < homes.length && (homes[last + 1] as HomeStops).atMs <= fromMs + windowMs) last++;
    // A window begins with a stop, so only the further stops are random.
    const others = last - first;
    const likelihood = others < 2 ? 1 : computePoissonTailProbability(others, usual(fromMs));
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
 * Returns a function that estimates how many homes usually stop in a window around a time, as the mean of the surrounding windows. The
 * highest counts are capped.
 */
function usualPerWindow(homes: readonly HomeStops[]): (atMs: number) => number {
  const { windowMs, aroundMs, trimmed } = STOP_GROUPING_THRESHOLDS;
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
    // The estimate is slightly higher than the mean, because a stop is possible even after a day without stops.
    const usual = 1.3 * (sum / windows) + 0.01;
    known.set(hour, usual);
    return usual;
  };
}

/** Numbers of devices of a home or gateway that reported shortly before a time. */
interface Talking {
  inHome(userId: string, atMs: number): number;
  atGateway(gatewayId: string, atMs: number): number;
}

function talkingOf(silences: readonly DeviceSilence[], sites: DeviceCountsBySite): Talking {
  const homes = Map.groupBy(silences, (one) => one.userId);
  const gateways = Map.groupBy(silences, (one) => one.gatewayId);
  const count = (all: number, ofSite: readonly DeviceSilence[] = [], atMs: number) => {
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

/** Groups the stops of one home that are not part of an outage of several homes. A stop is the begin of a device's silence. */
function groupsOfHome({ userId, stops }: HomeStops, talking: Talking, isRaised: boolean): DeviceStopGroup[] {
  const atMs = stops[0]?.beganMs ?? 0;
  const inHome = talking.inHome(userId, atMs);
  const group = (kind: StopKind, because: StopReason, of: readonly DeviceSilence[], isSure = true): DeviceStopGroup =>
    isSure && isRaised
      ? { kind, isSure: false, because: 'others_stopped_too', stops: of }
      : { kind, isSure, because, stops: of };
  if (stops.length > 1 && stops.length >= inHome) {
    const gateways = new Set(stops.map(({ gatewayId }) => gatewayId));
    const isOfOne = gateways.size === 1 && !gateways.has(null);
    return [isOfOne ? group('gateway', 'whole_gateway', stops) : group('home', 'whole_home', stops)];
  }
  const groups: DeviceStopGroup[] = [];
  const rest = new Set(stops);
  for (const [gatewayId, ofGateway] of Map.groupBy(stops, (one) => one.gatewayId)) {
    if (gatewayId === null || ofGateway.length < 2) continue;
    const isWhole = ofGateway.length >= talking.atGateway(gatewayId, atMs);
    groups.push(group('gateway', isWhole ? 'whole_gateway' : 'part_of_gateway', ofGateway, isWhole));
    for (const stop of ofGateway) rest.delete(stop);
  }
  const remaining = [...rest];
  if (remaining.length > 1) groups.push(group('home', 'part_of_home', remaining, false));
  else if (remaining.length === 1) {
    const isOnly = inHome <= 1;
    groups.push(group('device', isOnly ? 'only_device' : 'others_go_on', remaining, !isOnly));
  }
  return groups;
}

/** Changes the kind of devices that repeatedly stop alone to `habit`, unless their silence is much longer than usual. */
function withHabits(groups: readonly DeviceStopGroup[], nowMs: number): DeviceStopGroup[] {
  const { habits, habitMs } = STOP_GROUPING_THRESHOLDS;
  const alone = Map.groupBy(
    groups.filter(({ kind }) => kind === 'device'),
    ({ stops }) => stops[0]?.deviceId,
  );
  const lengthOf = ({ beganMs, endedMs }: DeviceSilence) => (endedMs ?? nowMs) - beganMs;
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

/** Returns the logarithm of n!, by Stirling's series (relative error below 1e-10 for 10 and more; exact below 10). */
function logFactorial(n: number): number {
  if (n < 10) return Math.log([1, 1, 2, 6, 24, 120, 720, 5_040, 40_320, 362_880][n] ?? 1);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
}

/** Returns the probability of `n` or more independent events if `mean` events are expected (Poisson). */
export function computePoissonTailProbability(n: number, mean: number): number {
  if (n <= 0) return 1;
  if (mean <= 0) return 0;
  // If `n` is at most the mean, the probability is high, and its exact value is not needed.
  if (n <= mean) return 1;
  let term = Math.exp(n * Math.log(mean) - mean - logFactorial(n));
  let sum = 0;
  for (let k = n; term > sum * 1e-12; k++) {
    sum += term;
    term *= mean / (k + 1);
  }
  return Math.min(1, sum);
}
