import { expect, test } from 'vitest';
import { guessPlacement } from '#src/devices/known-placement.ts';
import devices from '../../words/en/devices.json' with { type: 'json' };
import { DEFAULT_PLACEMENTS } from './device-fields.ts';

test('the form preselects for each type the placement that the service would assume', () => {
  expect(DEFAULT_PLACEMENTS).toEqual(
    Object.fromEntries(Object.keys(devices.types).map((type) => [type, guessPlacement(type).placement])),
  );
});
