import { expect, test } from 'vitest';
import {
  DEFAULT_GREEN_BUTTON_SCOPE,
  GREEN_BUTTON_SCOPES,
  negotiateGreenButtonScope,
  parseGreenButtonTerms,
} from './green-button.ts';

test.each([
  // This is the example scope string that the Green Button Alliance publishes.
  [
    'FB=1_3_4_5_13_14_39;IntervalDuration=3600;BlockDuration=monthly;HistoryLength=94608000',
    'FB=1_3_4_5_13_14_39;IntervalDuration=3600;BlockDuration=daily;HistoryLength=94608000',
  ],
  ['FB=4_5_15;IntervalDuration=900', 'FB=4_5;IntervalDuration=900;BlockDuration=daily;HistoryLength=31536000'],
  ['FB=5_5;IntervalDuration=900_3600', 'FB=5;IntervalDuration=900;BlockDuration=daily;HistoryLength=31536000'],
  ['FB=4;HistoryLength=999999999', 'FB=4;IntervalDuration=3600;BlockDuration=daily;HistoryLength=94608000'],
  ['FB=4;SubscriptionFrequency=daily;BR=1234', 'FB=4;IntervalDuration=3600;BlockDuration=daily;HistoryLength=31536000'],
])('a request for the scope %s is granted with the functions that this service supports', (asked, granted) => {
  expect(negotiateGreenButtonScope(asked)).toBe(granted);
});

test.each([
  'FB=',
  'FB=10_11',
  'FB=34_35',
  'FB=4;IntervalDuration=60',
  'FB=4;IntervalDuration=',
  'FB=4;HistoryLength=0',
  'FB=4;HistoryLength=1e9',
  'FB=4;<script>=1',
  'FB=4 FB=5',
  `FB=4${';x=1'.repeat(200)}`,
  'insights:read',
])('a request for the scope %s is refused', (asked) => {
  expect(negotiateGreenButtonScope(asked)).toBeNull();
});

test('each offered scope is granted unchanged, and is at most 256 characters long', () => {
  for (const scope of [...GREEN_BUTTON_SCOPES, DEFAULT_GREEN_BUTTON_SCOPE]) {
    expect(negotiateGreenButtonScope(scope)).toBe(scope);
    expect(scope.length).toBeLessThanOrEqual(256);
  }
  expect(parseGreenButtonTerms(null)).toEqual({ intervalSeconds: 3_600, historySeconds: 31_536_000 });
  expect(GREEN_BUTTON_SCOPES.map((scope) => parseGreenButtonTerms(scope).intervalSeconds)).toEqual([900, 3_600]);
});
