import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { variablesSchema } from '#src/config/sections.ts';
import { readComposeFile } from '#test/support/compose-file.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const home = readComposeFile({ HOST_NAME: 'energy.local' }, 'home/');
const compose = readComposeFile({
  POSTGRES_PASSWORD: 'secretpassword',
  SECRET_KEY: 'k'.repeat(32),
  BOOTSTRAP_ADMIN_KEY: `eus_live_${'k'.repeat(40)}`,
});

describe('the compose file', () => {
  test('is valid by the schema of the Compose Specification', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    // ajv recognises JSON Schema draft 7 only by the official value of `$schema`, so the schema's own value is removed.
    const { $schema: _draft7, ...schema } = JSON.parse(read('test/data/compose-spec/compose-spec.json'));
    const valid = ajv.compile(schema);
    expect(valid(compose) ? [] : valid.errors).toEqual([]);
    expect(valid(home) ? [] : valid.errors).toEqual([]);
    // Proves that the check can fail: the validator rejects this invalid document.
    expect(valid({ services: { a: { image: 1 } } })).toBe(false);
  });

  test.each(['ingest', 'api', 'worker'])('gives the %s role an environment that it accepts', (role) => {
    const { environment = {}, command } = compose.services[role] ?? {};
    expect(command).toEqual([role]);
    expect(Object.keys(environment).filter((name) => !(name in variablesSchema.shape))).toEqual([]);
    const config = loadConfig(environment);
    expect(config.database.url).toBe('postgres://energy:secretpassword@database:5432/energy');
    expect(config.dataDir).toBe('/data');
    expect(config.mqtt).toMatchObject({ url: undefined, publicHost: 'localhost' });
  });

  test('names everything that must be set in the example, pins images, and publishes MQTT without TLS to this machine only', () => {
    const names = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const example = read('deploy/.env.example');
    expect([...new Set(names)].filter((name) => !new RegExp(`^${name}=`, 'm').test(example))).toEqual([]);
    const images = Object.values(compose.services).map(({ image }) => image);
    expect(images.filter((image) => !/:\d+\.\d+/.test(image))).toEqual([]);
    expect(compose.services.ingest?.ports).toEqual(['8883:8883', '127.0.0.1:1883:1883']);
    expect(JSON.parse(read('package.json')).version).toBe(compose.services.api?.image.split(':')[1]);
  });

  test('for a single home has one container, one volume, and an environment that it accepts', () => {
    const { energy, ...others } = home.services;
    expect(others).toEqual({});
    const { environment = {}, volumes, ports, image } = energy ?? {};
    expect(volumes).toEqual(['data:/data']);
    expect(ports).toEqual(['8443:8443', '8883:8883', '127.0.0.1:1883:1883']);
    expect(image).toBe(`energy-usage-service:${JSON.parse(read('package.json')).version}-home`);
    expect(Object.keys(environment).filter((name) => !(name in variablesSchema.shape))).toEqual([]);
    expect(loadConfig(environment)).toMatchObject({
      database: { url: undefined },
      publicUrl: 'https://energy.local:8443',
      mqtt: { url: undefined, publicHost: 'energy.local' },
      homeAssistant: undefined,
    });
    const names = [...read('deploy/home/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const example = read('deploy/home/.env.example');
    expect([...new Set(names)].filter((name) => !new RegExp(`^${name}=`, 'm').test(example))).toEqual([]);
  });

  test('copies into the image everything that the service reads at run time', () => {
    const dockerfile = read('deploy/Dockerfile');
    const ignored = read('.dockerignore').split('\n');
    for (const path of ['bin', 'src', 'ingest', 'simulators', 'sql', 'docs', 'deploy/DEVICES.md']) {
      expect(dockerfile).toContain(`COPY ${path} ${path}`);
      expect(ignored).toContain(`!${path}`);
    }
  });
});
