import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

// Source: a Berry script for Tasmota that publishes a P1 meter on `tele/…/DSMR5`.
test('asks about the energies of a script that publishes under a name of its own, with and without abbreviations', () => {
  const word = fc.constantFrom('enrg', 'energy', 'Energy', 'ENRG');
  const direction = fc.constantFrom('imp', 'exp', 'import', 'export');
  const tariff = fc.constantFrom('', '_t1', '_t2');
  const end = fc.constantFrom('DSMR5', 'METER', 'P1', 'MY_METER');
  fc.assert(
    fc.property(word, direction, tariff, end, fc.integer({ min: 2, max: 90_000 }), (energy, way, part, name, value) => {
      const body = { [`${energy}_${way}${part}`]: value, volts_l1: 231, tariff: 2 };
      const result = readMessage(`tele/tasmota_p1/${name}`, body);
      expect([result?.readings, result?.asks]).toMatchObject([[], [{ value, unit: null }]]);
      // The firmware's own messages contain no registers, except SENSOR and the replies to `Status`.
      for (const own of ['STATE', 'INFO1', 'HASS_STATE', 'RESULT', 'MARGINS', 'STATUS11', 'UPTIME'])
        expect(readMessage(`tele/tasmota_p1/${own}`, body)).toMatchObject({
          family: 'tasmota',
          readings: [],
          asks: [],
        });
      expect(readMessage(`cmnd/tasmota_p1/${name}`, body)?.asks ?? []).toEqual([]);
    }),
  );
});
