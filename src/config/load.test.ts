import { describe, expect, test } from 'vitest';
import { isApiKeyFormat } from '#src/core/secrets.ts';
import { explainVariables, listSecretTexts, loadConfig, readEffectiveVariables } from './load.ts';

describe('the first administrator’s key', () => {
  const load = (key: string, environment = 'live') =>
    loadConfig({ BOOTSTRAP_ADMIN_KEY: key, ENVIRONMENT: environment }).bootstrapAdminKey;

  test.each([32, 40, 503])('of %i characters after its prefix is accepted, and can be used', (length) => {
    const key = `eus_live_${'k'.repeat(length)}`;
    expect(load(key)).toBe(key);
    expect(isApiKeyFormat(key, 'live')).toBe(true);
  });

  test.each([
    ['too short', `eus_live_${'k'.repeat(31)}`],
    ['too long to be looked up', `eus_live_${'k'.repeat(504)}`],
    ['the sandbox’s', `eus_test_${'k'.repeat(40)}`],
    ['one with a blank', `eus_live_${'k'.repeat(40)} k`],
  ])('is refused at the start if it is %s', (_, key) => {
    expect(() => load(key)).toThrow('BOOTSTRAP_ADMIN_KEY: must be eus_live_ and 32 to 503 characters more');
    expect(isApiKeyFormat(key, 'live')).toBe(false);
  });

  test('contains the name of the cell, by which the router finds the cell', () => {
    const bootstrapKey = (key: string) => loadConfig({ CELL: 'c2', BOOTSTRAP_ADMIN_KEY: key }).bootstrapAdminKey;
    const key = `eus_live_c2_${'k'.repeat(32)}`;
    expect(bootstrapKey(key)).toBe(key);
    expect(() => bootstrapKey(`eus_live_${'k'.repeat(32)}`)).toThrow('must be eus_live_c2_ and 32');
    loadConfig({});
  });

  test('begins with eus_test_ in the sandbox', () => {
    const key = `eus_test_${'k'.repeat(32)}`;
    expect(load(key, 'sandbox')).toBe(key);
    expect(() => load(`eus_live_${'k'.repeat(32)}`, 'sandbox')).toThrow('eus_test_');
  });
});

test('a proxy that is neither an address nor a network is refused before anything starts', () => {
  const load = (list: string) => loadConfig({ TRUST_PROXY: list }).api.trustProxy;
  expect(load('192.0.2.7, 10.0.0.0/8,2001:db8::/32')).toEqual(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32']);
  for (const wrong of ['proxy', '10.0.0.0/33', '192.0.2.7,'])
    expect(() => load(wrong)).toThrow(/TRUST_PROXY\.\d: must be addresses or networks/);
});

test('energy config prints no password of any URL', () => {
  const url = (scheme: string) => `${scheme}://anna:hunter2@example.com`;
  const variables = {
    DATABASE_URL: url('postgres'),
    DATABASE_READ_URL: url('postgres'),
    MQTT_URL: url('amqps'),
    SMTP_URL: url('smtp'),
    REDIS_URL: url('redis'),
    HOMEASSISTANT_MQTT_URL: url('mqtt'),
    OTEL_EXPORTER_OTLP_ENDPOINT: url('https'),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('https'),
  };
  const printed = readEffectiveVariables({ ...variables, HOMEASSISTANT_USERS: 'anna@example.com' });
  expect(JSON.stringify(printed)).not.toContain('hunter2');
  expect(Object.keys(variables).map((name) => printed[name])).toEqual(
    Object.values(variables).map((set) => set.replace('anna:hunter2', '…')),
  );
});

test('energy config prints the values in effect if nothing is configured', () => {
  expect(readEffectiveVariables({})).toMatchObject({ SHARDS: 64, DATABASE_URL: null, DATABASE_READ_URL: null });
  const url = 'postgres://db.example/energy';
  expect(readEffectiveVariables({ DATABASE_URL: url }).DATABASE_READ_URL).toBe('postgres://db.example/…');
});

describe('publishing to Home Assistant', () => {
  const url = 'mqtt://homeassistant.local:1883';
  test('is limited to the homes that the configuration lists', () => {
    expect(() => loadConfig({ HOMEASSISTANT_MQTT_URL: url })).toThrow('HOMEASSISTANT_USERS: is needed');
    expect(() => loadConfig({ HOMEASSISTANT_MQTT_URL: url, HOMEASSISTANT_USERS: ' , ' })).toThrow(
      'HOMEASSISTANT_USERS',
    );
    expect(loadConfig({ HOMEASSISTANT_USERS: 'anna@example.com' }).homeAssistant).toBeUndefined();
    expect(
      loadConfig({ HOMEASSISTANT_MQTT_URL: url, HOMEASSISTANT_USERS: 'anna@example.com, usr_1' }).homeAssistant,
    ).toEqual({ url, users: ['anna@example.com', 'usr_1'], prefix: 'homeassistant' });
  });
  test.each(['gw', 'gw/x', 'energy/v1/dev_1', 'a/+', '#', 'a//b', '/a', 'a b'])(
    'rejects the discovery prefix %s',
    (prefix) => {
      expect(() => loadConfig({ HOMEASSISTANT_DISCOVERY_PREFIX: prefix })).toThrow('HOMEASSISTANT_DISCOVERY_PREFIX');
    },
  );
});

test('energy config prints the origin and meaning of each value, and no secrets', () => {
  const all = explainVariables({ SECRET_KEY: 'a-secret-of-the-test', API_PORT: '9443', HTTP_PORT: '' });
  const of = (name: string) => all.find((one) => one.name === name);
  expect(of('API_PORT')).toEqual({
    name: 'API_PORT',
    value: 9443,
    source: 'environment',
    meaning: 'port of the API for HTTPS',
  });
  expect(of('HTTP_PORT')).toMatchObject({ value: 8080, source: 'default' });
  expect(of('SECRET_KEY')).toMatchObject({ value: '(set)', source: 'environment' });
  expect(of('TLS_CERT_FILE')).toMatchObject({ value: null, source: 'generated' });
  expect(of('PUBLIC_URL')).toMatchObject({ value: 'https://localhost:9443', source: 'default' });
  for (const { name, meaning } of all) expect([name, meaning]).toEqual([name, expect.stringMatching(/\S/)]);
  expect(JSON.stringify(all)).not.toContain('a-secret-of-the-test');
});

test('lists secrets, and passwords in URLs, encoded and decoded, which must never be printed', () => {
  const env = {
    SECRET_KEY: 'sealed',
    DATABASE_URL: 'postgres://u:p%40ss@h:1/d',
    SMTP_URL: 'smtp://mail',
    API_PORT: '1',
  };
  expect(listSecretTexts(env)).toEqual(['sealed', 'p%40ss', 'p@ss']);
  expect(listSecretTexts({ MQTT_URL: 'amqp://u:a%zz@h' })).toEqual(['a%zz']);
});
