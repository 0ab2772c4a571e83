import { describe, expect, test } from 'vitest';
import { newTariffSchema } from '#src/api/v1/tariffs/shape.ts';
import { TARIFF_TEMPLATES } from '#src/dashboard/pages/tariffs/templates.ts';

const about = { valid_from: '2026-01-01' };

describe('a template of a tariff', () => {
  test.each(TARIFF_TEMPLATES.map((one) => [`${one.country} ${one.name}`, one] as const))(
    '%s can be filled in',
    (_, one) => {
      const { name, currency, terms } = one;
      const given = { ...about, name, currency, ...terms };
      expect(newTariffSchema.safeParse(given).success).toBe(false);
      const filled = JSON.stringify(given)
        .replaceAll('"series_id":""', '"series_id":"prs_1"')
        .replaceAll('""', '"0.1"');
      expect(newTariffSchema.parse(JSON.parse(filled))).toMatchObject({ name, currency });
    },
  );

  test('exists for a dozen countries, each with a unique name', () => {
    expect(new Set(TARIFF_TEMPLATES.map(({ country }) => country)).size).toBe(12);
    const names = TARIFF_TEMPLATES.map(({ country, name }) => `${country} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
