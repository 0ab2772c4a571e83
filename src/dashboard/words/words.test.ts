import { afterAll, beforeEach, expect, test } from 'vitest';
import { loadWords } from '#test/support/words.ts';
import { formatKwh, formatMoneyAmount, formatTime } from '../parts/format.ts';
import { locale } from './locale.ts';
import { findLocaleTag, type Language, languageFrom, words } from './words.ts';

beforeEach(() => loadWords('en', ['en-GB']));
afterAll(() => loadWords('en'));

test('chooses the first of the browser’s languages that is available, otherwise English', () => {
  expect(languageFrom(['it-IT', 'nl-BE', 'de'])).toBe('nl');
  expect(languageFrom(['DE-at'])).toBe('de');
  expect(languageFrom(['pl', 'cs'])).toBe('en');
  expect(languageFrom([])).toBe('en');
  expect(languageFrom(['constructor'])).toBe('en');
});

test('keeps the number formats of a region if its language is chosen', () => {
  expect(findLocaleTag('de', ['en-US', 'de-AT'])).toBe('de-AT');
  expect(findLocaleTag('fr', ['en-US', 'de-AT'])).toBe('fr');
  expect(findLocaleTag('es', ['es-MX'])).toBe('es-MX');
});

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ').replaceAll('’', "'");

test.each([
  ['en', 'en-GB', '1,234.50 kWh', '€1,234.50'],
  ['de', 'de-DE', '1.234,50 kWh', '1.234,50 €'],
  ['de', 'de-AT', '1 234,50 kWh', '€ 1.234,50'],
  // Versions of the locale data differ: in some of them the separator is the curly apostrophe (’).
  ['de', 'de-CH', "1'234.50 kWh", "EUR 1'234.50"],
  ['fr', 'fr-FR', '1 234,50 kWh', '1 234,50 €'],
  ['nl', 'nl-NL', '1.234,50 kWh', '€ 1.234,50'],
  ['es', 'es-MX', '1,234.50 kWh', 'EUR 1,234.50'],
] as const)('%s in the region %s formats %s and %s', async (language, tag, energy, amount) => {
  await loadWords(language, [tag]);
  expect(locale()).toBe(tag);
  expect(plain(formatKwh(1_234.5))).toBe(energy);
  expect(plain(formatMoneyAmount('1234.50', 'EUR'))).toBe(amount);
});

test('uses the plural forms of the language', async () => {
  const { days } = words().alerts.silences;
  expect(days({ days: 0 })).toBe('0 days');
  await loadWords('fr');
  expect(words().alerts.silences.days({ days: 0 })).toBe('0 jour');
  expect(plain(words().alerts.silences.days({ days: 1_000_000 }))).toBe('1 000 000 jours');
  expect(formatTime('2026-11-21T10:00:00Z', 'Europe/Paris')).toMatch(/^21 nov\. 2026/);
});

test('a change of language applies to all texts at once', async () => {
  const now: Record<Language, string> = { en: 'Now', de: 'Jetzt', fr: 'Maintenant', nl: 'Nu', es: 'Ahora' };
  for (const [language, word] of Object.entries(now)) {
    await loadWords(language as Language);
    expect(words().period.now).toBe(word);
  }
});
