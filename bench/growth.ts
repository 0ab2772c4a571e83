import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from '#src/database/connect.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import type { BenchmarkGoal, BenchmarkResult } from './answer.ts';
import { readPostgresCpuMs, readProcessCpuMs } from './cpu.ts';
import { insertHistory, READINGS_PER_HOME_YEAR } from './history.ts';
import { measureMinimumStorageCost, readWalBytes, type StorageCost } from './storage-floor.ts';
import { computeMedian, startBenchmarkDatabase } from './support.ts';

const SIZES = (argument('sizes') ?? '1,10,50').split(',').map(Number);
/** `--interval=15m`: whether meters that report every 15 minutes are also measured. Every fourth reading of such a meter closes an hour. */
const BY_QUARTER_HOUR = process.argv.includes('--interval=15m');
/**
 * `--devices=1000000`: number of devices of the larger fleet; default: 100,000. `--few=10000`: number of devices of the smaller fleet;
 * default: 1,000. With only 1,000 devices, about five readings of a device share one write of its stored state; with many devices, each
 * reading needs a write.
 */
const DEVICES = { few: Number(argument('few') ?? 1_000), many: Number(argument('devices') ?? 100_000) };
/** The heads (stored states) of a million devices exceed any processor cache, so the target is lower for a million. */
const DEVICES_TARGET = DEVICES.many < 1_000_000 ? 0.8 : 0.7;
const [FEW_DEVICES, MANY_DEVICES] = [DEVICES.few.toLocaleString('en'), DEVICES.many.toLocaleString('en')];
/** Minutes for which the larger fleet publishes without a pause at the end of the run. */
const STEADY_MINUTES = Number(argument('steady') ?? 0);
const MESSAGES = 200_000;
/** Factor that scatters the order of the devices. It is a prime, so that messages do not arrive in the order of the devices' rows. */
const SCATTER = 7_919;
const ROUNDS = 3;
const DAY_MS = 86_400_000;
/** First number of the homes with historical readings. Homes with lower numbers have the devices that publish. */
const FIRST_HOME = 1_000_000;

/** Time by the devices' clocks between the end of one round and the start of the next, in ms. */
const ROUND_MS = 300_000;
const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
let rounds = 0;

/** A set of devices that publish. Their numbers are consecutive and start at `first`. */
interface Meters {
  devices: number;
  messages: number;
  stepMs: number;
  first: number;
  /** Clock of the simulated devices. It continues from one round to the next, so that there is no gap in the readings. */
  clock: { ms: number };
}
const clock = { ms: Date.now() - 2 * DAY_MS };
const TEN_SECONDS = { messages: MESSAGES, stepMs: 1_000, first: 0, clock };
const FEW: Meters = { ...TEN_SECONDS, devices: DEVICES.few };
/** The larger fleet. Every device sends in each round, because the worker would otherwise have all sending devices in its cache. */
const MANY: Meters = { ...TEN_SECONDS, devices: DEVICES.many, messages: Math.max(MESSAGES, DEVICES.many) };
/** Meters of the small fleet that report every 15 minutes. */
const FEW_BY_QUARTER_HOUR: Meters = {
  ...FEW,
  stepMs: QUARTER_HOUR_MS,
  first: DEVICES.many,
  clock: { ms: Date.now() - 60 * DAY_MS },
};
/**
 * The larger fleet with meters that report every 15 minutes. In each round, the clock of each device advances by an hour, and one of the
 * device's four messages closes the hour.
 */
const MANY_BY_QUARTER_HOUR: Meters = { ...MANY, stepMs: QUARTER_HOUR_MS, messages: 4 * DEVICES.many };

/** Processes whose CPU time is measured. */
const PROCESSES = ['postgres', 'ingest', 'worker', 'broker'] as const;
type CpuTimes = Record<(typeof PROCESSES)[number], number>;

/** Result of a round: readings/s, µs of CPU time per reading, and the memory of the ingest worker at the end, in MiB. */
interface Rate {
  perSecond: number;
  cpuUs: CpuTimes;
  /** Bytes of write-ahead log that PostgreSQL writes per reading. */
  walBytes: number;
  ingestMib: number;
  /** Readings/s of each whole minute of the round. */
  ofMinutes: number[];
}
type Round = (meters: Meters) => Promise<Rate>;

/** Medians of the rounds of both fleets: readings/s, and µs of CPU time per reading. */
interface FleetRates {
  few: number;
  many: number;
  fewUs: CpuTimes;
  manyUs: CpuTimes;
}

/** The rates while the database contains `million` million readings. */
interface SizeRates extends FleetRates {
  million: number;
  ingestMib: number;
  byQuarterHour?: FleetRates;
}

/** Results of the rounds while the database has one size. */
interface Measured {
  few: Rate[];
  many: Rate[];
  quarterly: Record<'few' | 'many', Rate[]>;
}

/**
 * Cost of a reading while the database has its smallest size, and PostgreSQL's minimum cost of storing the same rows, measured in the same
 * run.
 */
interface Costs {
  floor: StorageCost;
  few: StorageCost;
  many: StorageCost;
  /** Ratio of PostgreSQL's CPU time in the first round, in which all devices are new, to that in later rounds. */
  firstRound: number;
  /**
   * Memory of the ingest worker per device of the larger fleet, in bytes, including memory that the garbage collector has not freed yet.
   */
  bytesPerDevice: number;
}

/**
 * Measures readings/s over mosquitto, from publish to commit, with different amounts of stored readings (`--sizes=1,10,50`, in millions),
 * for 1,000 and 100,000 devices alternately. The rate should stay constant. `--interval=15m` adds meters of which every fourth reading
 * completes an hour. `--steady=10` makes the larger fleet publish without a pause for ten minutes at the end.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    await addDevices(database.pool, DEVICES.many + DEVICES.few);
    const year = { start: dateOf(Date.now() - 364 * DAY_MS), end: dateOf(Date.now()) };
    const rates: SizeRates[] = [];
    let steady: Steady | undefined;
    let costs: Costs | undefined;
    let settled: Updates | undefined;
    let homes = 0;
    for (const million of SIZES) {
      process.stderr.write(`filling up to ${million} million readings …\n`);
      const wanted = Math.ceil((million * 1e6) / READINGS_PER_HOME_YEAR);
      await insertHistory(database, year, FIRST_HOME + homes + 1, FIRST_HOME + wanted);
      homes = wanted;
      // The rounds start at a full hour, so that the devices do not all complete an hour in the same round. In a real fleet, only one of
      // 360 readings of a ten-second meter completes an hour.
      clock.ms = Math.ceil(clock.ms / HOUR_MS) * HOUR_MS;
      const rate = await withWorker(database, async (round) => {
        const emptyMib = costs ? 0 : (await round({ ...FEW, messages: FEW.devices })).ingestMib;
        const first = await warmUp(round);
        settled ??= await updatesOfHeads(database.pool);
        const measured = await measure(round);
        const rate = sizeRatesOf(million, measured);
        costs ??= {
          floor: await measureMinimumStorageCost(database, { rows: MESSAGES, devices: DEVICES.few }),
          few: storageCostOf(measured.few),
          many: storageCostOf(measured.many),
          firstRound: share(first.cpuUs.postgres, storageCostOf(measured.many).cpuUs),
          bytesPerDevice: Math.round(((rate.ingestMib - emptyMib) * 1_048_576) / DEVICES.many),
        };
        // The phase without pauses follows the rounds at the largest size of the database.
        if (STEADY_MINUTES > 0 && million === SIZES.at(-1)) steady = await steadyState(database.pool, round, rate.many);
        return rate;
      });
      rates.push(rate);
      process.stderr.write(`  ${JSON.stringify(rate)}\n`);
    }
    return resultOf({ rates, hot: await hotShare(database.pool, settled as Updates), steady, costs: costs as Costs });
  } finally {
    await database.remove();
  }
}

/** Makes every device send once. Returns the rate of this first round, which is not part of the result. */
async function warmUp(round: Round): Promise<Rate> {
  const first = await round(MANY);
  await round(MANY);
  if (BY_QUARTER_HOUR) await round(FEW_BY_QUARTER_HOUR);
  return first;
}

/** Runs the rounds of both fleets alternately. */
async function measure(round: Round): Promise<Measured> {
  const measured: Measured = { few: [], many: [], quarterly: { few: [], many: [] } };
  for (let turn = 0; turn < ROUNDS; turn++) {
    measured.few.push(await round(FEW));
    measured.many.push(await round(MANY));
    if (!BY_QUARTER_HOUR) continue;
    measured.quarterly.few.push(await round(FEW_BY_QUARTER_HOUR));
    measured.quarterly.many.push(await round(MANY_BY_QUARTER_HOUR));
  }
  return measured;
}

function fleetRatesOf({ few, many }: Record<'few' | 'many', Rate[]>): FleetRates {
  const rate = (of: Rate[]) => Math.round(computeMedian(of.map(({ perSecond }) => perSecond)));
  const cpu = (of: Rate[]) =>
    cpuTimes((name) => Math.round(computeMedian(of.map(({ cpuUs }) => cpuUs[name])) * 10) / 10);
  return { few: rate(few), many: rate(many), fewUs: cpu(few), manyUs: cpu(many) };
}

const sizeRatesOf = (million: number, measured: Measured): SizeRates => ({
  million,
  ...fleetRatesOf(measured),
  ingestMib: Math.max(...measured.many.map((one) => one.ingestMib)),
  ...(BY_QUARTER_HOUR ? { byQuarterHour: fleetRatesOf(measured.quarterly) } : {}),
});

/** Everything that the benchmark measured. `hot`: share of the updates of heads (stored states of devices) that changed no index. */
interface Findings {
  rates: SizeRates[];
  hot: number;
  steady: Steady | undefined;
  costs: Costs;
}

function resultOf(findings: Findings): BenchmarkResult {
  const { rates, hot, steady, costs } = findings;
  // At the first size of the database, the caches of the worker and of PostgreSQL are not filled yet. The rate at later sizes may therefore
  // be higher, but must not be lower.
  const lowestShare = (values: number[]) => Math.round((100 * Math.min(...values)) / (values[0] as number)) / 100;
  const ratios = {
    sizes_few: lowestShare(rates.map(({ few }) => few)),
    sizes_many: lowestShare(rates.map(({ many }) => many)),
    devices: Math.min(...rates.map(({ few, many }) => Math.round((100 * many) / few) / 100)),
    cpu: Math.max(...rates.map(({ fewUs, manyUs }) => Math.round((100 * manyUs.postgres) / fewUs.postgres) / 100)),
  };
  return {
    json: { devices: DEVICES, rates, ratios, hot, steady, costs },
    goals: [
      {
        what: `Slowest ÷ smallest size with ${FEW_DEVICES} devices`,
        measured: ratios.sizes_few,
        goal: { atLeast: 0.8 },
      },
      {
        what: `Slowest ÷ smallest size with ${MANY_DEVICES} devices`,
        measured: ratios.sizes_many,
        goal: { atLeast: 0.8 },
      },
      {
        what: `Rate of ${MANY_DEVICES} devices ÷ ${FEW_DEVICES}`,
        measured: ratios.devices,
        goal: { atLeast: DEVICES_TARGET },
      },
      {
        what: `PostgreSQL's CPU of ${MANY_DEVICES} devices ÷ ${FEW_DEVICES}`,
        measured: ratios.cpu,
        goal: { atMost: 2 },
      },
      { what: 'Share of HOT updates of heads', measured: hot, goal: { atLeast: 0.95 } },
      ...goalsOfCosts(costs),
    ],
    lines: linesOf(findings, ratios),
  };
}

const linesOf = (
  { rates, hot, steady, costs }: Findings,
  ratios: Record<'sizes_few' | 'sizes_many' | 'devices' | 'cpu', number>,
): string[] => [
  ...rates.flatMap(({ million, few, many, fewUs, manyUs, ingestMib }) => [
    `${String(million).padStart(3)} million stored   ${few} readings/s of ${FEW_DEVICES} devices, ${many} of ${MANY_DEVICES}; ingest ${ingestMib} MiB`,
    `     CPU µs a reading ${PROCESSES.map((name) => `${name} ${fewUs[name]} and ${manyUs[name]}`).join(', ')}`,
  ]),
  ...rates.flatMap(({ few, many, byQuarterHour: quarterly }) =>
    quarterly
      ? [
          `every 15 minutes: ${quarterly.few} readings/s of ${FEW_DEVICES} devices, ${quarterly.many} of ${MANY_DEVICES}: ${share(quarterly.few, few)} and ${share(quarterly.many, many)} of the above`,
          `     PostgreSQL's CPU ${quarterly.fewUs.postgres} and ${quarterly.manyUs.postgres} µs a reading`,
        ]
      : [],
  ),
  '',
  `slowest / smallest size: ${ratios.sizes_few} with ${FEW_DEVICES} devices, ${ratios.sizes_many} with ${MANY_DEVICES}`,
  `${MANY_DEVICES} devices / ${FEW_DEVICES}: ${ratios.devices} at worst; PostgreSQL's CPU ${ratios.cpu}`,
  `updates of heads that touched no index (HOT): ${hot}`,
  ...linesOfCosts(costs),
  ...(steady
    ? [
        `${STEADY_MINUTES} minutes of ${MANY_DEVICES}: ${steady.perSecond} readings/s; slowest minute ${share(steady.slowestMinute, steady.perSecond)}, last ${share(steady.lastMinute, steady.perSecond)} of that; ` +
          `${steady.checkpoints} checkpoints, ${steady.vacuums} vacuums; ingest ${steady.ingestMib} MiB, HOT ${steady.hot}`,
      ]
    : []),
];

function argument(name: string): string | undefined {
  return process.argv.find((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);
}

const share = (part: number, of: number): number => Math.round((100 * part) / of) / 100;

const storageCostOf = (rates: readonly Rate[]): StorageCost => ({
  cpuUs: computeMedian(rates.map(({ cpuUs }) => cpuUs.postgres)),
  walBytes: Math.round(computeMedian(rates.map(({ walBytes }) => walBytes))),
});

const linesOfCosts = ({ floor, few, many, firstRound, bytesPerDevice }: Costs): string[] => [
  `PostgreSQL's CPU and log a reading: rows with their key alone ${floor.cpuUs.toFixed(1)} µs and ${Math.round(floor.walBytes)} B; ` +
    `${FEW_DEVICES} devices ${few.cpuUs.toFixed(1)} µs and ${few.walBytes} B; ${MANY_DEVICES} ${many.cpuUs.toFixed(1)} µs and ${many.walBytes} B`,
  `first round of new devices / later rounds: ${firstRound}; memory a device: ${bytesPerDevice} B`,
];

/** Returns the goals for the cost of a reading. Memory has a goal only in a run with a million devices. */
function goalsOfCosts({ floor, few, many, firstRound, bytesPerDevice }: Costs): BenchmarkGoal[] {
  const memory = { what: 'Memory of a worker for each device', measured: bytesPerDevice, unit: ' B' };
  return [
    {
      what: `PostgreSQL's CPU of ${FEW_DEVICES} devices ÷ of rows and key alone`,
      measured: share(few.cpuUs, floor.cpuUs),
      goal: { atMost: 1.5 },
    },
    {
      what: `PostgreSQL's CPU of ${MANY_DEVICES} devices ÷ of rows and key alone`,
      measured: share(many.cpuUs, floor.cpuUs),
      goal: { atMost: 2.8 },
    },
    {
      what: `Log a reading of ${MANY_DEVICES} devices`,
      measured: many.walBytes,
      unit: ' B',
      goal: { atMost: 300 },
    },
    { what: 'First round of new devices ÷ later rounds', measured: firstRound, goal: { atMost: 3 } },
    { ...memory, goal: DEVICES.many < 1_000_000 ? null : { atMost: 200 } },
  ];
}

const cpuTimes = (of: (name: keyof CpuTimes) => number) =>
  Object.fromEntries(PROCESSES.map((name) => [name, of(name)])) as CpuTimes;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const deviceId = (index: number) => `dev_grown${String(index).padStart(7, '0')}`;

/** Adds devices, each in its own home. */
async function addDevices(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `WITH n AS (SELECT lpad(i::text, 7, '0') AS i FROM generate_series(0, $1::int - 1) i),
     made AS (INSERT INTO users (user_id, email, role) SELECT 'usr_grown' || i, i || '@grown.example', 'homeowner' FROM n)
     INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT 'dev_grown' || i, 'usr_grown' || i, 'smart_meter', 'bench', '' FROM n`,
    [count],
  );
  await pool.query('VACUUM ANALYZE users, devices, device_heads');
}

/** Result of publishing for several minutes without a pause, which includes vacuums and checkpoints. */
interface Steady {
  /** Readings/s over the whole time, in the slowest whole minute, and in the last minute. */
  perSecond: number;
  slowestMinute: number;
  lastMinute: number;
  checkpoints: number;
  /** Number of autovacuums of the tables of device states and of readings. */
  vacuums: number;
  ingestMib: number;
  hot: number;
}

/**
 * Makes the larger fleet publish for `STEADY_MINUTES` without a pause, at the rate `perSecond`. Each device sends a reading every ten
 * seconds of its clock.
 */
async function steadyState(pool: Pool, round: Round, perSecond: number): Promise<Steady> {
  const upkeep = async () => {
    const { rows } = await pool.query(
      `SELECT (SELECT num_timed + num_requested FROM pg_stat_checkpointer)::int AS checkpoints,
              (SELECT sum(autovacuum_count) FROM pg_stat_user_tables
               WHERE relname = 'device_heads' OR relname LIKE 'readings%')::int AS vacuums`,
    );
    return rows[0];
  };
  const settled = await updatesOfHeads(pool);
  const before = await upkeep();
  const rate = await round({ ...MANY, stepMs: 10_000, messages: perSecond * 60 * STEADY_MINUTES });
  const after = await upkeep();
  return {
    perSecond: Math.round(rate.perSecond),
    slowestMinute: Math.round(Math.min(...rate.ofMinutes)),
    lastMinute: Math.round(rate.ofMinutes.at(-1) ?? 0),
    checkpoints: after.checkpoints - before.checkpoints,
    vacuums: after.vacuums - before.vacuums,
    ingestMib: rate.ingestMib,
    hot: await hotShare(pool, settled),
  };
}

/** Returns the resident memory of a process in MiB, from the line VmRSS of /proc/PID/status (proc(5)). */
const residentMib = (pid: number): number =>
  Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);

/** Number of updates of heads (stored states of devices) so far, and how many of these changed no index (HOT updates). */
interface Updates {
  all: number;
  hot: number;
}

async function updatesOfHeads(pool: Pool): Promise<Updates> {
  const { rows } = await pool.query(
    `SELECT n_tup_upd::float8 AS "all", n_tup_hot_upd::float8 AS hot FROM pg_stat_user_tables WHERE relname = 'device_heads'`,
  );
  return rows[0];
}

/** Returns the share of the updates of device states since `since` that changed no index (HOT updates). */
async function hotShare(pool: Pool, since: Updates): Promise<number> {
  const now = await updatesOfHeads(pool);
  return Math.round((1_000 * (now.hot - since.hot)) / (now.all - since.all)) / 1_000;
}

/** Starts a process that connects the devices. The process publishes their messages when it receives `go`. */
async function startPublisher(url: string, { devices, messages, stepMs, first, clock }: Meters) {
  const publisher = fork(join(import.meta.dirname, 'ingest-publisher.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  publisher.send({
    url,
    devices: Array.from({ length: devices }, (_, index) => ({
      deviceId: deviceId(first + ((index * SCATTER) % devices)),
      secret: '',
    })),
    messages,
    // Each round begins, in simulated time, after the end of the previous round.
    startMs: clock.ms,
    stepMs,
    startKwh: 1_000 + ++rounds,
    connections: 20,
  });
  clock.ms += stepMs * Math.ceil(messages / devices) + ROUND_MS;
  const exited = once(publisher, 'exit');
  await once(publisher, 'message');
  return { publisher, exited };
}

/**
 * Waits until the number of committed messages has grown by `messages` from `before`. Returns the waiting time, and the readings/s of each
 * whole minute.
 */
async function untilCommitted(committed: () => Promise<number>, before: number, messages: number) {
  const from = performance.now();
  const ofMinutes: number[] = [];
  let minute = { from, committed: before };
  for (let now = before; now < before + messages; now = await committed()) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const passedMs = performance.now() - minute.from;
    if (passedMs < 60_000) continue;
    ofMinutes.push(((now - minute.committed) * 1_000) / passedMs);
    minute = { from: performance.now(), committed: now };
  }
  return { seconds: (performance.now() - from) / 1_000, ofMinutes };
}

/** Starts a broker, an ingest worker and a background worker, and runs rounds on them. */
async function withWorker<T>(
  database: { pool: Pool; url: string; dataDir: string },
  use: (round: Round) => Promise<T>,
): Promise<T> {
  const mosquitto = await startMosquitto();
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, MQTT_URL: mosquitto.url, LOG_LEVEL: 'error' };
  // The background worker also runs, because the database's work for it is part of the cost of a reading.
  const backgroundWorker = await startRole('worker', env);
  const worker = await startRole('ingest', env);
  const committed = async () => {
    const answer = await fetch(`http://127.0.0.1:${worker.ready.operator_port}/metrics`);
    return Number(/^energy_messages_committed_total\D*(\d+)$/m.exec(await answer.text())?.[1]);
  };
  const cpuMs = {
    postgres: () => readPostgresCpuMs(join(database.dataDir, 'postgres')),
    ingest: () => readProcessCpuMs(worker.process.pid as number),
    worker: () => readProcessCpuMs(backgroundWorker.process.pid as number),
    broker: () => readProcessCpuMs(mosquitto.pid),
  };
  try {
    return await use(async (meters) => {
      const { messages, devices } = meters;
      const { publisher, exited } = await startPublisher(mosquitto.url, meters);
      const before = await committed();
      const cpuFrom = cpuTimes((name) => cpuMs[name]());
      const logFrom = await readWalBytes(database.pool);
      publisher.send('go');
      const { seconds, ofMinutes } = await untilCommitted(committed, before, messages);
      const cpuUs = cpuTimes((name) => ((cpuMs[name]() - cpuFrom[name]) * 1_000) / messages);
      const walBytes = ((await readWalBytes(database.pool)) - logFrom) / messages;
      await exited;
      const ingestMib = residentMib(worker.process.pid as number);
      process.stderr.write(`  ${devices} devices: ${Math.round(messages / seconds)}/s ${JSON.stringify(cpuUs)}\n`);
      return { perSecond: messages / seconds, cpuUs, walBytes, ingestMib, ofMinutes };
    });
  } finally {
    await worker.kill();
    await backgroundWorker.kill();
    await mosquitto.stop();
  }
}
