import { describe, expect, test } from 'vitest';
import { decide } from './capabilities.ts';

describe('of the facts of a server', () => {
  const facts = {
    postgres: 17,
    postgresName: '17.5',
    timescale: '2.28.3' as string | null,
    licence: 'timescale' as string | null,
    offered: true,
    made: null as 'community' | 'apache' | 'plain' | null,
  };

  test.each([
    ['the community licence', facts, 'auto', 'community'],
    ['the Apache licence', { ...facts, licence: 'apache' }, 'auto', 'apache'],
    ['no extension', { ...facts, timescale: null, licence: null, offered: false }, 'auto', 'plain'],
    ['an extension that is not to be used', facts, 'off', 'plain'],
    ['a schema made without it', { ...facts, made: 'plain' as const }, 'auto', 'plain'],
    ['a schema made under the Apache licence', { ...facts, made: 'apache' as const }, 'auto', 'apache'],
  ] as const)('%s makes a tier', (_name, found, timescale, tier) => {
    expect(decide(found, timescale).tier).toBe(tier);
  });

  test.each([
    [
      'an old PostgreSQL',
      { ...facts, postgres: 14, postgresName: '14.2' },
      /PostgreSQL 14\.2; 15 or newer is needed\. Upgrade/,
    ],
    [
      'an old extension',
      { ...facts, timescale: '2.9.1' },
      /2\.9\.1 is too old; 2\.19 .* ALTER EXTENSION timescaledb UPDATE/,
    ],
    [
      'a licence that was taken away',
      { ...facts, made: 'community' as const, licence: 'apache' },
      /Set timescaledb\.license = 'timescale'/,
    ],
  ] as const)('%s is refused with what to do', (_name, found, message) => {
    expect(() => decide(found, 'auto')).toThrow(message);
  });

  test('an extension that could not be made is named in the line', () => {
    const found = { ...facts, timescale: null, licence: null };
    expect(decide(found, 'auto').line).toMatch(/shared_preload_libraries/);
    expect(decide({ ...found, made: 'plain' }, 'auto').line).toMatch(/energy migrate --to/);
  });
});
