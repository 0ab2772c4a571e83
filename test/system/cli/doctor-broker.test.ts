import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokerCheck as check } from '#src/cli/doctor/checks/settings.ts';
import type { InstallationFacts } from '#src/cli/doctor/facts.ts';
import { gatherBrokerFacts } from '#src/cli/doctor/gather/network.ts';
import { loadConfig } from '#src/config/load.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let mosquitto: Mosquitto;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const passwords = join(folder.path, 'passwords');
  const { status, stderr } = spawnSync('mosquitto_passwd', ['-c', '-b', passwords, 'energy', 'right']);
  if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`);
  const lines = ['listener 1883', 'allow_anonymous false', `password_file ${passwords}`];
  mosquitto = await startMosquitto({ configuration: lines.join('\n') });
});
afterAll(async () => {
  await mosquitto.stop();
  await folder.remove();
});

/** Returns the doctor's findings about the broker at a URL. */
async function foundAt(url: string) {
  const facts = {
    broker: await gatherBrokerFacts(loadConfig({ MQTT_URL: url })),
    service: null,
  } as unknown as InstallationFacts;
  return [check.judge(facts)].flat().map(({ level, finding, todo }) => `${level} ${finding} ${todo}`);
}
const as = (login: string) => mosquitto.url.replace('//', `//${login}@`);

test('distinguishes a broker that accepts the login, one that rejects it, and one that is not reachable', async () => {
  expect(await foundAt(as('energy:right'))).toEqual([expect.stringMatching(/^ok .* accepts the login/)]);
  for (const login of ['energy:wrong', 'nobody:right'])
    expect(await foundAt(as(login))).toEqual([expect.stringMatching(/^problem .*rejects this login/)]);
  expect(await foundAt(mosquitto.url)).toEqual([expect.stringMatching(/^problem .*rejects this login/)]);
  expect(await foundAt(`mqtt://energy:right@127.0.0.1:${await findFreePort()}`)).toEqual([
    expect.stringMatching(/^problem .*ECONNREFUSED.* Check host and port/),
  ]);
  expect(await foundAt(`amqp://energy:right@127.0.0.1:${await findFreePort()}`)).toEqual([
    expect.stringMatching(/^problem .*ECONNREFUSED.* Check host and port/),
  ]);
});
