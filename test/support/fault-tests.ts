import { afterAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../bench/chaos/fault.ts';
import { createFaults } from '../../bench/chaos/faults.ts';
import type { Installation } from '../../bench/chaos/installation.ts';
import { injectFault, startInstallationForFault } from '../../bench/chaos/run.ts';
import { scaleTimeLimitMs } from '../../bench/time-limits.ts';

/** Readings per second. The rate is lower than in `npm run chaos`, because other tests run at the same time. */
const PER_SECOND = 200;
/** Scale of the faults. The flood and the queued messages each exceed what ingest can hold in memory at once. */
const SCALE = { floodS: 2, queuedMessages: 22_000, apiKills: 3, unreleasedSessions: 7 };
const areApart = process.env.BAD_DAYS === 'apart';
const isRoot = process.getuid?.() === 0;

/**
 * Registers a test for each fault of an installation with this broker. Faults that need no separate disk or broker share one installation
 * and run one after another; with BAD_DAYS=apart, each fault has its own installation. `clocks`: if true, tests only the faults of clocks,
 * otherwise only the other faults.
 */
export function defineFaultTests(broker: Fault['broker'], clocks = false): void {
  // Faults with their own disk or broker run last.
  const isOwn = ({ persistence, diskMb }: Fault) => Number(persistence !== undefined || diskMb !== undefined);
  const faults = createFaults(SCALE)
    .filter((fault) => fault.broker === broker && (fault.hasClock ?? false) === clocks)
    .toSorted((a, b) => isOwn(a) - isOwn(b));
  let standing: { of: string; installation: Installation } | undefined;
  const remove = async () => {
    await standing?.installation.remove();
    standing = undefined;
  };
  afterAll(remove);

  async function installed(fault: Fault): Promise<Installation> {
    const of = JSON.stringify([fault.persistence, fault.diskMb]);
    if (standing?.of !== of || areApart) {
      await remove();
      standing = { of, installation: await startInstallationForFault(fault) };
    }
    return standing.installation;
  }

  describe.each(faults.map((fault) => [fault.name, fault] as const))('during the fault: %s', (_name, fault) => {
    // Only root can create the small disk that this fault needs.
    test.skipIf(fault.diskMb !== undefined && !isRoot)(
      'no acknowledged reading is lost, none is counted twice, and the service recovers by itself',
      async () => {
        const outcome = await injectFault(await installed(fault), fault, PER_SECOND).catch(async (error) => {
          // After a failure, the next fault gets a new installation.
          await remove();
          throw error;
        });
        const { sent, acknowledged, lost, double, recoveryS, gaveUp, diagnosis } = outcome;
        // Includes messages before, during and after the fault.
        expect(sent).toBeGreaterThan(200);
        expect(acknowledged).toBe(sent);
        // Readings that a broker without persistence acknowledged and lost are not losses of the service.
        expect({ lost: fault.brokerForgets ? 0 : lost, double }, diagnosis).toEqual({ lost: 0, double: 0 });
        expect(gaveUp).toBeNull();
        expect(recoveryS).toBeLessThan(scaleTimeLimitMs(30_000) / 1_000);
      },
      480_000,
    );
  });
}
