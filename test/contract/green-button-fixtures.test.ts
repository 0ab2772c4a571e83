import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createImportCounts } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { listEspiFixtures } from '#test/support/espi-schema.ts';

/** Returns the readings (Wh) in a Green Button file of one meter, by start in Unix seconds, independently of the service's code. */
function readingsIn(text: string): Map<number, number> {
  const [, power = '0'] = /<powerOfTenMultiplier>(-?\d+)</.exec(text) ?? [];
  expect(/<uom>(\d+)</.exec(text)?.[1]).toBe('72');
  const readings = text.matchAll(/<IntervalReading>.*?<start>(\d+)<.*?<value>(\d+)<.*?<\/IntervalReading>/gs);
  return new Map([...readings].map(([, start, value]) => [Number(start), Number(value) * 10 ** Number(power)]));
}

test.each(listEspiFixtures().map((file) => [basename(file), file]))(
  'every reading of the published file %s is imported',
  async (_name, file) => {
    const counts = createImportCounts();
    const imported = new Map<number, number>();
    for await (const one of createGreenButtonImport(undefined)(file, counts, () => {})) {
      if (!('energy_kwh' in one) || one.interval_s === undefined) throw new Error('no energy');
      expect(one.channel).toBe('import');
      imported.set(Date.parse(one.ts) / 1_000 - one.interval_s, Math.round(Number(one.energy_kwh) * 1_000));
    }
    const published = readingsIn(readFileSync(file, 'utf8'));
    expect(imported.size).toBeGreaterThan(0);
    expect(imported).toEqual(published);
    expect(counts).toMatchObject({ rows: published.size, skipped: 0, unreadable: 0 });
  },
);
