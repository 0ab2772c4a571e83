import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('asks about gas, water or heat alone on its topic if no word means a total or a meter reading', () => {
  const place = fc.constantFrom('gasmeter', 'gas', 'watermeter', 'wasserzaehler', 'heat', 'waermemengenzaehler');
  const word = fc.constantFrom('consumption', 'verbrauch', 'usage');
  const total = fc.constantFrom('total', 'lifetime', 'reading', 'stand', 'counter', 'gesamt');
  fc.assert(
    fc.property(place, word, total, fc.boolean(), (of, name, lifetime, isVolume) => {
      const unit = isVolume || of.startsWith('wa') ? 'm3' : 'kwh';
      const alone = readMessage(`house/${of}/${name}_${unit}`, '41.75');
      expect(alone).toMatchObject({ readings: [], asks: [{ value: 41.75, unit: unit === 'm3' ? 'm³' : 'kWh' }] });
      const register = readMessage(`house/${of}/${lifetime}_${name}_${unit}`, '41.75');
      expect(register).toMatchObject({ readings: [{ value: 41.75 }], asks: [] });
    }),
  );
});
