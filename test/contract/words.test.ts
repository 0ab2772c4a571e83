import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import format, { type CompiledMessage } from 'icu-minify/format';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileTexts } from '#src/core/compile-words.ts';
import { formatters } from '#src/dashboard/words/locale.ts';
import { LANGUAGES, type Language } from '#src/dashboard/words/words.ts';
import {
  compileWordsOfLanguage,
  getArgumentTypes,
  getPluralForms,
  listTextsByPath,
  loadWords,
  readMailTexts,
  readPageTexts,
} from '#test/support/words.ts';
import { extractTexts, extractVisibleTexts } from './dashboard-texts.ts';
import { listSourceFiles } from './imports.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const modules = listSourceFiles(['src/dashboard']).filter((file) => !file.startsWith('src/dashboard/words/'));

/** Texts that are never translated. */
const NO_LANGUAGE = new Set(['https://example.com/energy', 'https://…', 'dev_…', 'usr_…', 'URL', 'mosquitto.conf']);
/**
 * Strings of several words that are not translated: no page shows them (for example programs and settings), or a page shows them before the
 * translations are loaded.
 */
const NO_TEXT: readonly RegExp[] = [
  /^12px system-ui, sans-serif$/,
  /^The dashboard could not be fetched\. Reload the page\.$/,
  /^(Failure|Escape|Enter)$/,
  /^npx energy /,
  /^color-mix\(/,
  // Product names, which are the same in every language.
  /^(Green Button \(XML\)|Home Assistant|Edge|Opera|Samsung Internet|Firefox|Chrome|Safari|Android|Windows|Linux)$/,
  /^curl -sSk -H 'Authorization: Bearer /,
  /^no (session|words: setWords comes first)$/,
  /^(sign-in|choices wide|columns three|badge \0|quiet told)$/,
];
/**
 * Modules whose strings are terminal commands, device settings, or names of message formats. `words/` contains the texts that are shown for
 * these names.
 */
const OF_PROGRAMS =
  /devices\/snippets\.ts|webhooks\/webhook\.ts|tariffs\/templates\.ts|home\/ribbons\.ts|parts\/(drawing|focus|decimal)\.ts/;

describe('a page of the dashboard', () => {
  test.each(modules)('%s has no text of its own in its markup', (file) => {
    const { markup } = extractTexts(readFileSync(resolve(ROOT, file), 'utf8'));
    expect(markup.flatMap(extractVisibleTexts).filter((text) => !NO_LANGUAGE.has(text))).toEqual([]);
  });

  test.each(modules.filter((file) => !OF_PROGRAMS.test(file)))('%s has no sentence among its strings', (file) => {
    const { strings } = extractTexts(readFileSync(resolve(ROOT, file), 'utf8'));
    const sentences = strings.filter((text) => /\p{L}{2,}[,.:;]? \p{L}{2,}|^\p{Lu}\p{Ll}{2,}$/u.test(text));
    expect(sentences.filter((text) => !NO_TEXT.some((one) => one.test(text)))).toEqual([]);
  });
});

test('a text in the markup or in a string is detected', () => {
  const source = `import { a } from 'Some where';
// it's a comment
const pattern = /['\`]/;
const b = html\`<p class="\${c ? 'is good' : ''}">Left here \${d ? html\`<b title="And here">\${e}</b>\` : 'Or here'}</p>\`;`;
  const { markup, strings } = extractTexts(source);
  expect(markup.flatMap(extractVisibleTexts)).toEqual(['And here', 'Left here \0']);
  expect(strings).toEqual(['is good', '', 'Or here']);
});

/** Returns example numbers for each plural form of a language. Forms that apply only from a million on may be missing. */
function numbersByForm(language: string): Map<string, number> {
  const rules = new Intl.PluralRules(language);
  return new Map(Array.from({ length: 1_001 }, (_, index) => [rules.select(1_000 - index), 1_000 - index]));
}

/** Returns the texts of a language by path. Texts of mails, SMS and plain pages (`src/delivery/words`) have paths below `mails`. */
const rawTexts = (language: Language) =>
  new Map(listTextsByPath({ ...readPageTexts(language), mails: readMailTexts(language) }));
const messages = async (language: Language) =>
  new Map(
    listTextsByPath({
      ...(await compileWordsOfLanguage(language)),
      mails: await compileTexts(readMailTexts(language)),
    }),
  );
const IN_MAILS = /^mails\./;

/** Paths of texts that are the same in English and another language: names, borrowed words, and words with the same spelling. */
const ALIKE: Record<string, readonly string[]> = {
  de: [
    'alerts.deliveries.sms',
    'alerts.deliveries.webhook',
    'alerts.hints.in',
    'apps.website',
    'common.app',
    'common.details',
    'common.frame.sandbox',
    'common.name',
    'common.pages.apps',
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
    'mails.common.day',
    'mails.common.line',
    'mails.passkeyAdded.passkey',
    'operator.users.plan',
    'sessions.browser',
    'sessions.passkey',
    'sessions.passkeysTitle',
    'tariffs.templates.names.gbEconomy7',
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
    'mails.common.day',
    'mails.common.line',
    'mails.common.moment',
    'operator.users.plan',
    'tariffs.templates.names.gbEconomy7',
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
    'operator.audit.action',
    'operator.sums.table',
    'tariffs.templates.names.frBase',
    'tariffs.templates.names.gbEconomy7',
    'webhooks.webhook',
  ],
  nl: [
    'alerts.deliveries.email',
    'alerts.deliveries.webhook',
    'alerts.hints.in',
    'apps.website',
    'common.app',
    'common.details',
    'common.fields.overlap_hours',
    'common.frame.docs',
    'common.frame.sandbox',
    'common.pages.account',
    'common.pages.apps',
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
    'mails.common.line',
    'mails.passkeyAdded.passkey',
    'period.prices.unit',
    'period.units.week',
    'sessions.browser',
    'sessions.passkey',
    'sessions.passkeysTitle',
    'sessions.ways.mail',
    'sessions.ways.passkey',
    'sessions.ways.provider',
    'tariffs.aKwh',
    'tariffs.form.in',
    'tariffs.form.unit',
    'tariffs.templates.names.gbEconomy7',
    'webhooks.log.detailsOf',
    'webhooks.webhook',
  ],
};

test.each([
  ['dashboard', 'en/*.json'],
  ['delivery', 'en.json'],
])('the types of arguments of %s are those of the English messages', async (folder, files) => {
  const lines = [...(await messages('en'))]
    .filter(([path]) => IN_MAILS.test(path) === (folder === 'delivery'))
    .map(([path, message]): [string, [string, string][]] => [
      path.replace(IN_MAILS, ''),
      [...getArgumentTypes(message)],
    ])
    .filter(([, all]) => all.length > 0)
    .map(([path, all]) => `  '${path}': { ${all.map(([name, type]) => `${name}: ${type}`).join('; ')} };\n`);
  const text = `// Made from ${files} by \`npm run words\`.
/** A value as it is to be shown. */
type Shown = string | number;
/** Arguments of the English messages, by the path of the message. */
export interface Arguments {
${lines.join('')}}
`;
  await expect(text).toMatchFileSnapshot(`../../src/${folder}/words/arguments.d.ts`);
});

/** Groups of texts from which a page selects one by a name. The name comes from an API response, or from a table of the page. */
const READ_BY_NAME = [
  'bills.causes',
  'bills.readings',
  'bills.statuses',
  'common.provider.problems',
  'devices.discovered.kinds',
  'devices.edits.statuses',
  'fleet.orders',
  'keys.scopes',
  'fleet.reasons',
  'home.figure.notes',
  'mails.accessEnded.why',
  'mails.alert.cost',
  'mails.alert.used',
  'mails.apps.scopes',
  'mails.apps.why',
  'mails.members.access',
  'mails.members.why',
  'mails.pages.consent.until',
  'mails.pages.invitation.question',
  'mails.pages.invitation.refused',
  'sessions.memberStates',
  'webhooks.events',
];

test('each text is used by some page or mail', () => {
  const codeOf = (files: string[]) => files.map((file) => readFileSync(resolve(ROOT, file), 'utf8')).join('\n');
  const pages = codeOf(modules);
  const mails = codeOf(listSourceFiles(['src/delivery', 'src/api']));
  const isUsed = (path: string) =>
    new RegExp(`\\b${path.slice(path.lastIndexOf('.') + 1)}\\b`).test(IN_MAILS.test(path) ? mails : pages);
  const unused = [...rawTexts('en').keys()].filter((path) => !isUsed(path));
  expect(unused.filter((path) => !READ_BY_NAME.some((folder) => path.startsWith(`${folder}.`)))).toEqual([]);
});

describe.each(Object.keys(LANGUAGES) as Language[])('the words of %s', (language) => {
  let all: Map<string, CompiledMessage>;
  let english: Map<string, CompiledMessage>;
  beforeAll(async () => {
    all = await messages(language);
    english = await messages('en');
  });

  test('have the keys of English', () => {
    expect([...all.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  test('take the same arguments as English, of the same kinds, and have the same marks', () => {
    const marks = (text: string) => (text.match(/`[^`]+`|\[/g) ?? []).toSorted();
    const texts = rawTexts(language);
    for (const [path, message] of english) {
      const shape = (one: CompiledMessage | undefined) => [path, [...getArgumentTypes(one ?? '')].toSorted()];
      expect(shape(all.get(path))).toEqual(shape(message));
    }
    for (const [path, text] of rawTexts('en'))
      expect([path, marks(String(texts.get(path)))]).toEqual([path, marks(String(text))]);
  });

  test('have each plural form of the language, and can be formatted with each', async () => {
    const numbers = numbersByForm(language);
    await loadWords(language);
    for (const [path, message] of all) {
      for (const forms of getPluralForms(message))
        expect([path, forms]).toEqual([path, expect.arrayContaining([...numbers.keys()])]);
      for (const number of numbers.values()) {
        const types = [...getArgumentTypes(message)];
        const values = Object.fromEntries(
          types.map(([name, type]) => [name, type === 'number' ? number : `<${name}>`]),
        );
        const formattedText = format(message, language, values, { formatters });
        expect([path, formattedText]).toEqual([path, expect.stringMatching(/^[^{}]*$/)]);
        for (const [name, type] of types) if (type === 'Shown') expect(formattedText).toContain(`<${name}>`);
      }
    }
  });
});

describe.each(Object.keys(ALIKE) as Language[])('the translation into %s', (language) => {
  test('has no text left in English', () => {
    const others = rawTexts(language);
    const same = [...rawTexts('en')].filter(([path, text]) => text === others.get(path)).map(([path]) => path);
    expect(same.toSorted()).toEqual(ALIKE[language]);
  });
});
