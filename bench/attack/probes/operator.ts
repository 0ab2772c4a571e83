import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerAddress, sendBytesAndReadResponse } from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

export const OPERATOR_PROBES: readonly Probe[] = [
  defineProbe('metrics are not on the public listener', async (world) => {
    for (const path of ['/metrics', '/metrics.json', '/internal/mqtt/authenticate'])
      expectAllowedValue((await world.ask('GET', path)).status, [404], `GET ${path}`);
  }),
  defineProbe(
    'the operator’s listener answers no page of another site: its Host is looked at',
    async (world) => {
      const to = world.target.operator as ServerAddress;
      const ask = (host: string) =>
        sendBytesAndReadResponse(to, 'tcp', request('GET /metrics HTTP/1.1', `Host: ${host}`, 'Connection: close'));
      expectAllowedValue((await ask(`127.0.0.1:${to.port}`)).status, [200], 'Host: 127.0.0.1');
      const { status } = await ask(`evil.example:${to.port}`);
      assertProbeCondition(status >= 400, `Host: evil.example got ${status}`);
    },
    { needs: ['operator'] },
  ),
  defineProbe(
    'metrics name nobody',
    async (world) => {
      const { userId, email } = await world.person('homeowner');
      await world.must('GET', `/v1/users/${userId}`);
      const to = world.target.operator as ServerAddress;
      const { text } = await sendBytesAndReadResponse(
        to,
        'tcp',
        request('GET /metrics HTTP/1.1', `Host: 127.0.0.1:${to.port}`, 'Connection: close'),
      );
      assertProbeCondition(text.includes('energy_http_requests_total'), 'there are no metrics of requests');
      for (const one of [userId, email]) assertProbeCondition(!text.includes(one), `they name ${one}`);
    },
    { needs: ['operator'] },
  ),
  defineProbe(
    'keys, the database and captured mail are their owner’s alone to read',
    async (world) => {
      const dataDir = world.target.dataDir as string;
      // Lists files and folders that other users may access. The content of a folder that no other user can enter is protected, and is not
      // listed.
      const open: string[] = [];
      const look = async (path: string) => {
        const { mode } = await stat(path);
        if ((mode & 0o077) !== 0) open.push(`${path.slice(dataDir.length + 1)} (${(mode & 0o777).toString(8)})`);
      };
      const names = await readdir(dataDir);
      for (const name of names) if (/^(secret\.key|postgres|mail|sms)$/.test(name)) await look(join(dataDir, name));
      for (const name of await readdir(join(dataDir, 'tls')))
        if (/key/.test(name)) await look(join(dataDir, 'tls', name));
      assertProbeCondition(names.includes('secret.key'), 'there is no secret.key');
      assertProbeCondition(open.length === 0, `others may read ${open.join(', ')}`);
    },
    { needs: ['dataDir'] },
  ),
];
