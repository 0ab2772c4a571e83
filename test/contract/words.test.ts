import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TARIFF_TEMPLATES } from '#src/dashboard/pages/tariffs/templates.ts';
import { LANGUAGES, type Language, loadWords, words } from '#src/dashboard/words/words.ts';
import { sourceFiles } from './imports.ts';
import { saidIn, textsOf } from './texts.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Where texts belong, and what an operator alone sees: that is in English. */
const ELSEWHERE = /^src\/dashboard\/(words\/|pages\/operator)/;
const modules = sourceFiles(['src/dashboard']).filter((file) => !ELSEWHERE.test(file));

/** What is the same in every language. */
const NO_LANGUAGE = new Set(['https://example.com/energy', 'https://…', 'URL', 'mosquitto.conf']);
/** Strings of more than a word that nobody is shown, or that are programs and settings; and what is said before words are there. */
const NO_TEXT: readonly RegExp[] = [
  /^12px system-ui, sans-serif$/,
  /^The dashboard could not be fetched\. Reload the page\.$/,
  /^(Failure|Escape|Enter)$/,
  /^npx energy /,
  /^color-mix\(/,
  // The name of a format, in every language.
  /^Green Button \(XML\)$/,
  /^no (session|words: loadWords comes first)$/,
  /^(sign-in|choices wide|columns three|badge \0|quiet told)$/,
];
/** Modules whose strings are lines for terminals and settings of devices, or names of forms that `words/` translates. */
const OF_PROGRAMS =
  /devices\/((gateway|device)-snippets|home-assistant-settings)\.ts|keys\/curl-line\.ts|webhooks\/secret\.ts|tariffs\/templates\.ts|browser-name\.ts|home\/ribbons\.ts|parts\/(drawing|focus|decimal)\.ts/;

describe('a page of the dashboard', () => {
  test.each(modules)('%s has no text of its own in its markup', (file) => {
    const { markup } = textsOf(readFileSync(resolve(ROOT, file), 'utf8'));
    expect(markup.flatMap(saidIn).filter((text) => !NO_LANGUAGE.has(text))).toEqual([]);
  });

  test.each(modules.filter((file) => !OF_PROGRAMS.test(file)))('%s has no sentence among its strings', (file) => {
    const { strings } = textsOf(readFileSync(resolve(ROOT, file), 'utf8'));
    const said = strings.filter((text) => /\p{L}{2,}[,.:;]? \p{L}{2,}|^\p{Lu}\p{Ll}{2,}$/u.test(text));
    expect(said.filter((text) => !NO_TEXT.some((one) => one.test(text)))).toEqual([]);
  });
});

test('a text that is left is found', () => {
  const source = `import { a } from 'Some where';
// it's a comment
const pattern = /['\`]/;
const b = html\`<p class="\${c ? 'is good' : ''}">Left here \${d ? html\`<b title="And here">\${e}</b>\` : 'Or here'}</p>\`;`;
  const { markup, strings } = textsOf(source);
  expect(markup.flatMap(saidIn)).toEqual(['And here', 'Left here \0']);
  expect(strings).toEqual(['is good', '', 'Or here']);
});

type Tree = { [name: string]: unknown };
/** Every text and function, by its path. */
const leaves = (tree: Tree, path = ''): [string, unknown][] =>
  Object.entries(tree).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? leaves(value as Tree, `${path}.${name}`)
      : [[`${path}.${name}`, value]],
  );

/** Of a function what it says of some values. */
const said = (value: unknown): string =>
  typeof value === 'function'
    ? String(value(...Array.from({ length: value.length }, (_, index) => `{${index}}`)))
    : String(value);

/** Paths of texts that are alike in English and another language: names, borrowed words, and what is spelt the same. */
const ALIKE: Record<string, readonly string[]> = {
  de: [
    'alerts.deliveries.sms',
    'alerts.deliveries.webhook',
    'alerts.hints.in',
    'common.details',
    'common.frame.sandbox',
    'common.name',
    'common.pages.webhooks',
    'common.signIn.code',
    'common.status',
    'devices.attentions.silent.below',
    'devices.attentions.silent.open',
    'devices.channels.meanings.gas',
    'devices.gateways.of',
    'devices.gateways.title',
    'devices.login.ports',
    'devices.pairing.topic',
    'home.commodities.gas',
    'home.live',
    'sessions.browser',
    'tariffs.form.form',
    'webhooks.log.detailsOf',
    'webhooks.log.inSeconds',
    'webhooks.webhook',
  ],
  es: [
    'alerts.deliveries.sms',
    'alerts.deliveries.webhook',
    'common.frame.docs',
    'common.pages.webhooks',
    'devices.attentions.silent.below',
    'devices.attentions.silent.open',
    'devices.channels.meanings.gas',
    'devices.pairing.topic',
    'home.commodities.gas',
    'webhooks.webhook',
  ],
  fr: [
    'alerts.deliveries.email',
    'alerts.deliveries.sms',
    'alerts.deliveries.webhook',
    'alerts.silences.list',
    'alerts.types.no_data.name',
    'common.fields.auth_token',
    'common.frame.docs',
    'common.frame.navigation',
    'common.pages.webhooks',
    'common.signIn.code',
    'devices.attentions.silent.below',
    'devices.attentions.silent.open',
    'devices.channels.meanings.production',
    'devices.login.ports',
    'devices.pairing.messageLabel',
    'devices.pairing.topic',
    'devices.places.production',
    'devices.type',
    'devices.types.thermostat',
    'fleet.family',
    'webhooks.secret.label',
    'webhooks.webhook',
  ],
  nl: [
    'alerts.deliveries.email',
    'alerts.deliveries.webhook',
    'alerts.hints.in',
    'common.details',
    'common.fields.overlap_hours',
    'common.frame.docs',
    'common.frame.sandbox',
    'common.pages.sessions',
    'common.pages.webhooks',
    'common.signIn.code',
    'common.status',
    'devices.attentions.silent.below',
    'devices.attentions.silent.open',
    'devices.channels.meanings.gas',
    'devices.channels.meanings.water',
    'devices.gateways.of',
    'devices.gateways.prefix',
    'devices.gateways.title',
    'devices.pairing.topic',
    'fleet.kinds.gateway',
    'home.commodities.gas',
    'home.commodities.water',
    'home.live',
    'period.units.week',
    'sessions.browser',
    'sessions.ways.mail',
    'sessions.ways.provider',
    'tariffs.form.in',
    'webhooks.log.detailsOf',
    'webhooks.webhook',
  ],
};

describe.each(Object.keys(LANGUAGES).filter((one) => one !== 'en') as Language[])('the words of %s', (language) => {
  let english: [string, unknown][];
  let others: Map<string, unknown>;
  beforeAll(async () => {
    await loadWords('en');
    // Templates are asked for by their English name.
    english = leaves(words()).filter(([path]) => !path.startsWith('.tariffs.templates'));
    await loadWords(language);
    others = new Map(leaves(words()));
  });

  test('are as many, and take the same values', () => {
    const shape = (value: unknown) => (typeof value === 'function' ? value.length : 'text');
    const templates = [...others].filter(([path]) => path.startsWith('.tariffs.templates')).length;
    expect(others.size - templates).toBe(english.length);
    for (const [path, value] of english) expect([path, shape(others.get(path))]).toEqual([path, shape(value)]);
  });

  test('use every value that they are given, and the same marks', () => {
    const marks = (text: string) => (text.match(/\{\d\}|`[^`]+`|\[/g) ?? []).toSorted();
    for (const [path, value] of english)
      expect([path, marks(said(others.get(path)))]).toEqual([path, marks(said(value))]);
  });

  test('are no English', () => {
    const same = english.filter(([path, value]) => said(value) === said(others.get(path)));
    expect(same.map(([path]) => path.slice(1)).toSorted()).toEqual(ALIKE[language]);
  });

  test('name every form of a tariff, and each sentence that goes with one', async () => {
    await loadWords(language);
    const { templates } = words().tariffs;
    const texts = new Set(TARIFF_TEMPLATES.flatMap(({ name, note = [] }) => [name, ...note]));
    // A name of its own.
    texts.delete('Economy 7');
    expect(new Set(Object.keys(templates))).toEqual(texts);
  });
});
