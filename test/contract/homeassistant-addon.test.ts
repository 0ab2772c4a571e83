import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#src/config/load.ts';
import { variablesSchema } from '#src/config/sections.ts';
import { addonConfigSchema, addonTranslationSchema, parseAddonOptions } from '#test/support/addon-schema.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = 'deploy/homeassistant-addon';
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const written = parse(read(`${folder}/config.yaml`));
const config = addonConfigSchema.parse(written);
const manifest = JSON.parse(read('package.json'));
const ownOptions = { email: 'me@example.com' };

test('the add-on follows the rules of the supervisor, and has this version', () => {
  expect(config.version).toBe(manifest.version);
  // Proves that the check can fail: the schema rejects these invalid add-on configurations.
  for (const wrong of [{ webui: '/dashboard' }, { backup: 'warm' }, { arch: ['sparc'] }, { ingres: true }])
    expect(addonConfigSchema.safeParse({ ...written, ...wrong }).success).toBe(false);
});

test('the add-on’s options have valid defaults, and only the account must be set', () => {
  expect(() => parseAddonOptions(config, {})).toThrow(/email/);
  expect(parseAddonOptions(config, ownOptions)).toMatchObject({ ...ownOptions, show_in_home_assistant: true });
  expect(() => parseAddonOptions(config, { ...ownOptions, log_level: 'loud' })).toThrow();
  const options = Object.keys(config.schema);
  expect(Object.keys(config.options).filter((name) => !options.includes(name))).toEqual([]);
  // The add-on's start script must read all declared options, and no other options.
  const start = read(`${folder}/run.mts`);
  const [, declared = ''] = /interface Options \{([\s\S]+?)\n\}/.exec(start) ?? [];
  expect([...declared.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name)).toEqual(options);
  expect(options.filter((name) => !start.includes(`options.${name}`))).toEqual([]);
});

test('the add-on is translated into the five languages of the dashboard', () => {
  const languages = readdirSync(resolve(root, 'src/dashboard/words'), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => `${name}.yaml`);
  expect(readdirSync(resolve(root, folder, 'translations')).toSorted()).toEqual(languages.toSorted());
  for (const name of languages) {
    const { configuration, network } = addonTranslationSchema.parse(parse(read(`${folder}/translations/${name}`)));
    expect(Object.keys(configuration), name).toEqual(Object.keys(config.schema));
    expect(Object.keys(network), name).toEqual(Object.keys(config.ports));
  }
  expect(addonTranslationSchema.parse(parse(read(`${folder}/translations/en.yaml`))).network).toEqual(
    config.ports_description,
  );
});

test('the add-on sets only variables that the service has, and publishes the ports on which it listens', () => {
  const named = [...read(`${folder}/run.mts`).matchAll(/\b([A-Z]+(?:_[A-Z]+)+): /g)].map(([, name = '']) => name);
  expect(named).toHaveLength(5);
  const names = [...Object.keys(config.environment), ...named];
  expect(names.filter((name) => !(name in variablesSchema.shape))).toEqual([]);
  const { api, mqtt, dataDir } = loadConfig({ ...config.environment, PUBLIC_URL: String(config.options.public_url) });
  expect([dataDir, api.host, mqtt.tlsHost]).toEqual(['/data', '0.0.0.0', '0.0.0.0']);
  expect(Object.keys(config.ports)).toEqual([`${api.port}/tcp`, `${mqtt.tlsPort}/tcp`]);
  // Each port has the same number inside and outside the container, because links and device settings contain the number inside.
  for (const [inside, outside] of Object.entries(config.ports)) expect(`${outside}/tcp`).toBe(inside);
  for (const address of [config.webui, config.watchdog])
    expect(address).toContain(`https://[HOST]:[PORT:${api.port}]/`);
});

test('the add-on’s image installs the package of the release under its name in this release', () => {
  const dockerfile = read(`${folder}/Dockerfile`);
  expect(dockerfile).toContain(`COPY ${manifest.name}-*.tgz ./`);
  const [, command = '[]'] = /^CMD (.+)$/m.exec(dockerfile) ?? [];
  expect(JSON.parse(command)).toEqual(['node', 'run.mts', `node_modules/${manifest.name}/${manifest.bin.energy}`]);
  expect(read('deploy/Dockerfile')).toContain(/^FROM (\S+)$/m.exec(dockerfile)?.[0]);
});
