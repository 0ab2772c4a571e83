import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../../bench/chaos/faults.ts';
import { endure } from '../../../bench/chaos/run.ts';

const isRoot = process.getuid?.() === 0;

describe.each(FAULTS.map((fault) => [`${fault.broker}: ${fault.name}`, fault] as const))('%s', (_name, fault) => {
  // A disk of its own takes root.
  test.skipIf(fault.diskMb !== undefined && !isRoot)(
    'nothing acknowledged is lost, nothing counted twice, and it comes back by itself',
    async () => {
      const { sent, acknowledged, lost, double, recoveryS } = await endure(fault);
      expect(sent).toBeGreaterThan(500);
      expect(acknowledged).toBe(sent);
      // What a broker without persistence had acknowledged and forgot is its own loss.
      expect({ lost: fault.brokerForgets ? 0 : lost, double }).toEqual({ lost: 0, double: 0 });
      expect(recoveryS).toBeLessThan(30);
    },
    240_000,
  );
});
