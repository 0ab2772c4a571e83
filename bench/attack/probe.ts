import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import type { AttackTarget } from './target.ts';
import type { AttackedInstallation } from './world.ts';

/** Optional parts of an installation that a probe may need, besides the API and the administrator's key. */
type Need = Exclude<keyof AttackTarget, 'api' | 'adminKey' | 'remove'>;

/** One attack on the service from outside. */
export interface Probe {
  /** The property of the service that must hold, as a sentence without its full stop. */
  name: string;
  needs: readonly Need[];
  /**
   * Kind of probe. `quick`: several run at a time. `waits`: waits for a time limit, so all run at once. `alone`: loads the service, so no
   * other probe runs.
   */
  kind: 'quick' | 'waits' | 'alone';
  /** Throws a ProbeFailedError if the property does not hold. */
  run(world: AttackedInstallation): Promise<void>;
}

export interface ProbeResult {
  name: string;
  result: 'held' | 'fell' | 'not tried';
  /** Reason why the property does not hold. */
  why: string;
  ms: number;
}

/** Thrown by a probe if its property does not hold. */
export class ProbeFailedError extends Error {
  override name = 'Fell';
}

/** Thrown if a probe does not apply to this installation. The message is the reason. */
export class ProbeSkippedError extends Error {
  override name = 'NotTried';
}

export function defineProbe(name: string, run: Probe['run'], more: Partial<Pick<Probe, 'needs' | 'kind'>> = {}): Probe {
  return { name, run, needs: [], kind: 'quick', ...more };
}

/** Throws if `found` is not one of the allowed values. `what`: name of the value in the error. */
export function expectAllowedValue<T>(found: T, allowed: readonly T[], what: string): void {
  if (!allowed.includes(found)) throw new ProbeFailedError(`${what}: ${found}, not ${allowed.join(' or ')}`);
}

export function assertProbeCondition(holds: boolean, why: string): asserts holds {
  if (!holds) throw new ProbeFailedError(why);
}

const MAX_PROBE_MS = 90_000;
const AT_ONCE = { quick: 8, waits: 50, alone: 1 } as const;

/**
 * Runs the probes, one kind after the other. `report` receives each result as soon as it is known. Returns the results in the order of the
 * probes.
 */
export async function runProbes(
  world: AttackedInstallation,
  probes: readonly Probe[],
  report: (result: ProbeResult) => void = () => {},
): Promise<ProbeResult[]> {
  const results = new Map<Probe, ProbeResult>();
  for (const kind of ['quick', 'waits', 'alone'] as const) {
    const waiting = probes.filter((one) => one.kind === kind);
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const result = await runProbe(world, one);
        results.set(one, result);
        report(result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE[kind] }, work));
  }
  return probes.flatMap((one) => results.get(one) ?? []);
}

async function runProbe(world: AttackedInstallation, { name, needs, run }: Probe): Promise<ProbeResult> {
  const fromMs = performance.now();
  const done = (result: ProbeResult['result'], why = ''): ProbeResult => ({
    name,
    result,
    why,
    ms: Math.round(performance.now() - fromMs),
  });
  const missing = needs.filter((need) => world.target[need] === undefined);
  if (missing.length > 0) return done('not tried', `needs ${missing.join(', ')}`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProbeFailedError(describeTimeout('no result', MAX_PROBE_MS))),
      scaleTimeLimitMs(MAX_PROBE_MS),
    );
  });
  try {
    await Promise.race([run(world), late]);
    return done('held');
  } catch (error) {
    if (error instanceof ProbeSkippedError) return done('not tried', error.message);
    const { name: kind, message } = error as Error;
    // A probe that could not run counts as failed, because it has not shown that its property holds.
    return done('fell', kind === 'Fell' ? message : `broke: ${message}`);
  } finally {
    clearTimeout(timer);
  }
}
