import { describe, expect, test } from 'vitest';
import { FAULTS, type Fault } from '../../bench/chaos/faults.ts';
import { endure } from '../../bench/chaos/run.ts';

/** Less than `npm run chaos` sends: what is looked for is what a fault does, beside other tests. */
const PER_SECOND = 300;
const isRoot = process.getuid?.() === 0;

/** A test for each fault of an installation with this broker. A file for each broker: they wait, and can do so side by side. */
export function testBadDays(broker: Fault['broker']): void {
  const faults = FAULTS.filter((fault) => fault.broker === broker);
  describe.each(faults.map((fault) => [fault.name, fault] as const))('%s', (_name, fault) => {
    // A disk of its own takes root.
    test.skipIf(fault.diskMb !== undefined && !isRoot)(
      'nothing acknowledged is lost, nothing counted twice, and it comes back by itself',
      async () => {
        const { sent, acknowledged, lost, double, recoveryS, diagnosis } = await endure(fault, PER_SECOND);
        // Before, beside and after the fault; how much later than a quiet machine a busy one is back is told below.
        expect(sent).toBeGreaterThan(200);
        expect(acknowledged).toBe(sent);
        // What a broker without persistence had acknowledged and forgot is its own loss.
        expect({ lost: fault.brokerForgets ? 0 : lost, double }, diagnosis).toEqual({ lost: 0, double: 0 });
        expect(recoveryS).toBeLessThan(30);
      },
      480_000,
    );
  });
}
