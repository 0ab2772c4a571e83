import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi, writeLoadProfile } from '#test/support/api.ts';
import { CLIENT_CASES, type ClientStep } from '#test/support/clients/cases.ts';
import { addFaultInjection } from '#test/support/clients/faults.ts';
import { generateClients, readCheckedInClients } from '#test/support/clients/generate.ts';
import { readOpenApiInterface } from '#test/support/clients/interface.ts';
import { installPythonClient, installTypescriptClient } from '#test/support/clients/packaged.ts';
import { runProgram, type StepResult } from '#test/support/clients/run.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const RUNNERS = resolve(import.meta.dirname, '../../support/clients');
/** Languages of the clients. Each client is installed as in a user's own folder, without this repository's modules. */
const LANGUAGES = ['typescript', 'python'] as const;
type Language = (typeof LANGUAGES)[number];

/** Programs that call the service although they do not trust its certificate, and print the error. */
const UNTRUSTING = {
  typescript: `const { EnergyClient } = await import(process.env.CLIENT);
    const energy = new EnergyClient({ key: 'x', baseUrl: process.env.BASE_URL, retries: 0 });
    await energy.listKeys().first().catch((error) => console.log(error.name, error.message));`,
  python: `import os
from energy_usage import EnergyClient, NetworkError
try:
    EnergyClient("x", base_url=os.environ["BASE_URL"], retries=0).list_keys().first()
except NetworkError as error:
    print("NetworkError", error)`,
};

let api: TestApi;
let faults: ReturnType<typeof addFaultInjection>;
let folder: { path: string; remove(): Promise<void> };
const installed: Partial<Record<Language, string>> = {};
let caFile: string;

beforeAll(async () => {
  [api, folder] = await Promise.all([
    startTestApi({
      beforeListening(app) {
        faults = addFaultInjection(app);
      },
    }),
    createTemporaryFolder(),
  ]);
  caFile = join(folder.path, 'ca.pem');
  await writeFile(caFile, api.tls.cert);
  [installed.typescript, installed.python] = await Promise.all([
    installTypescriptClient(folder.path),
    installPythonClient(folder.path),
  ]);
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

/** Runs test steps with the client of one language. Returns the result of each step and the number of its requests. */
async function carryOut(language: Language, of: Pick<Parameters<typeof inputOf>[0], 'keys' | 'variables' | 'steps'>) {
  const input = inputOf(of);
  const output =
    language === 'typescript'
      ? await runProgram(process.execPath, [join(RUNNERS, 'run-cases.ts'), installed.typescript ?? ''], {
          input,
          env: { NODE_EXTRA_CA_CERTS: caFile, NODE_NO_WARNINGS: '1' },
        })
      : await runProgram(installed.python ?? '', ['-P', join(RUNNERS, 'run_cases.py')], { input });
  return JSON.parse(output) as StepResult[];
}

const inputOf = (of: {
  keys: Record<string, string>;
  variables: Record<string, string>;
  steps: ClientStep[];
}): string => JSON.stringify({ baseUrl: `https://localhost:${api.port}`, caFile, ...of });

/** Converts an expected value: replaces each marker of cases.ts by the vitest matcher that it stands for. */
function matching(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(matching);
  if (typeof expected === 'string') return /\$\w/.test(expected) ? expect.any(String) : expected;
  if (typeof expected !== 'object' || expected === null) return expected;
  const { $contains, $some } = expected as { $contains?: string; $some?: unknown };
  if ($contains !== undefined) return expect.stringContaining($contains);
  if ($some !== undefined) return expect.arrayContaining([expect.objectContaining(matching($some) as object)]);
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, matching(value)]));
}

describe('the committed client', () => {
  test('equals the one generated from the OpenAPI document', async () => {
    const [now, fresh] = await Promise.all([readCheckedInClients(), generateClients()]);
    for (const [name, source] of Object.entries(fresh)) {
      expect(now[name] === source, `clients/${name} is behind: npm run client`).toBe(true);
    }
  });
});

describe.each(LANGUAGES)('the %s client', (language) => {
  const run$ = language.slice(0, 2);
  let keys: Record<string, string>;
  let home: string;

  beforeAll(async () => {
    const [admin, homeowner] = [await api.user('admin'), await api.user('homeowner')];
    keys = { admin: admin.key, home: homeowner.key };
    home = homeowner.userId;
    const at = (text: string) => Date.parse(text);
    await writeLoadProfile(
      api,
      home,
      new Map([
        [at('2026-06-14T18:00:00Z'), 1_500_000],
        [at('2026-03-29T00:30:00Z'), 100_000],
        [at('2026-03-29T01:30:00Z'), 200_000],
      ]),
    );
  });

  test.each(Object.entries(CLIENT_CASES))('completes the step: %s', async (_name, steps) => {
    const before = faults.requests();
    const results = await carryOut(language, { keys, variables: { run: run$, home }, steps });
    expect(results.map(({ call }) => call)).toEqual(steps.map(({ call }) => call));
    for (const [index, { call, gives, fails, save }] of steps.entries()) {
      const { value, error } = results[index] ?? {};
      const where = `step ${index}, ${call}`;
      if (fails) expect({ where, error }).toMatchObject({ where, error: matching(fails) });
      else expect({ where, error }).toEqual({ where, error: undefined });
      if (gives !== undefined) expect({ where, value }).toMatchObject({ where, value: matching(gives) });
      for (const member of Object.values(save ?? {})) expect(value).toMatchObject({ [member]: expect.any(String) });
    }
    // Expected total number of requests. A step sends one request unless it declares another number.
    const wanted = steps.reduce((sum, step) => sum + (step.requests ?? 1), 0);
    expect(faults.requests() - before).toBe(wanted);
  });

  test('accepts messages signed by the Standard Webhooks library, and no others', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const [now, text] = [1_781_524_800, '{"type":"user.created","data":{"name":"Zoë"}}'];
    const sign = (webhook: Webhook) => ({
      'Webhook-Id': 'evt_1',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1a,AAAA v1,é ${webhook.sign('evt_1', new Date(now * 1_000), text)}`,
    });
    const headers = sign(new Webhook(secret));
    const raw = 'a token, not base64';
    const bodies = [
      { text, secret, headers, now: now + 299 },
      { text, secret: ['another one', secret], headers, now },
      { text, secret: raw, headers: sign(new Webhook(raw, { format: 'raw' })), now },
      { text: text.replace('user', 'uses'), secret, headers, now },
      { text, secret, headers, now: now + 301 },
      { text, secret, headers: { ...headers, 'Webhook-Id': 'evt_2' }, now },
      { text, secret, headers: { ...headers, 'webhook-timestamp': 'NaN' }, now },
      { text, secret: 'whsec_!', headers, now },
      { text, secret, headers: {}, now },
    ];
    const steps = bodies.map((body): ClientStep => ({ as: 'home', call: 'verifyWebhook', body }));
    const results = await carryOut(language, { keys, variables: {}, steps });
    const [good, bad] = [{ data: { name: 'Zoë' } }, { type: 'SignatureError' }];
    expect(results.map(({ value, error }) => value ?? error)).toMatchObject([good, good, good, ...Array(6).fill(bad)]);
  });

  test('explains how to trust a self-signed certificate', async () => {
    const runnerOutput =
      language === 'typescript'
        ? await runProgram(process.execPath, ['--input-type=module', '-e', UNTRUSTING.typescript], {
            env: { CLIENT: installed.typescript ?? '', BASE_URL: `https://localhost:${api.port}` },
          })
        : await runProgram(installed.python ?? '', ['-c', UNTRUSTING.python], {
            env: { BASE_URL: `https://localhost:${api.port}` },
          });
    const origin = `https://localhost:${api.port}`;
    const setting = { typescript: 'NODE_EXTRA_CA_CERTS', python: 'ca_file' }[language];
    expect(runnerOutput).toMatch(/^NetworkError /);
    expect(runnerOutput).toContain(`save ${origin}/certificate.pem`);
    expect(runnerOutput).toContain(setting);
  });

  test('has every operation: an operation without a step is called with its example and gets an answer', async () => {
    const called = new Set(Object.values(CLIENT_CASES).flatMap((steps) => steps.map(({ call }) => call)));
    const { operations } = readOpenApiInterface();
    const others: ClientStep[] = operations
      .filter(({ name }) => !called.has(name))
      .map(({ name, inPath, body, example, query }) => ({
        as: 'home',
        call: name,
        path: inPath.map(() => 'none'),
        ...(body && { body: example.body }),
        ...(query.some(({ required }) => required) && {
          query: Object.fromEntries(query.filter(({ required }) => required).map((one) => [one.name, 'none'])),
        }),
      }));
    const results = await carryOut(language, { keys, variables: {}, steps: others });
    for (const { call, error } of results) {
      const isAnswered = error === undefined || (error.status !== null && error.status < 500);
      expect({ call, error, isAnswered }).toEqual({ call, error, isAnswered: true });
    }
    const covered = operations.filter(({ name }) => called.has(name) || others.some((one) => one.call === name));
    expect(covered.length).toBe(operations.length);
  });
});
