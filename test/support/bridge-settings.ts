import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';

/** Returns the mosquitto bridge settings of deploy/DEVICES.md, completed as a household would. `folder`: the service's data folder. */
export function buildBridgeSettings(to: {
  gatewayId: string;
  password: string;
  port: number | undefined;
  folder: string;
}): string {
  const text = readFileSync(resolve(import.meta.dirname, '../../deploy/DEVICES.md'), 'utf8');
  const [, snippet = ''] = /```conf\n(persistence true\n[\s\S]*?)```/.exec(text) ?? [];
  expect(snippet).toContain('remote_username GATEWAY_ID');
  return snippet
    .replaceAll('GATEWAY_ID', to.gatewayId)
    .replace('PASSWORD', to.password)
    .replace('energy.example.com:8883', `localhost:${to.port}`)
    .replace('bridge_capath /etc/ssl/certs', `bridge_cafile ${join(to.folder, 'tls/cert.pem')}`);
}
