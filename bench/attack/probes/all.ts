import type { Probe } from '../probe.ts';
import { ACCOUNTS } from './accounts.ts';
import { BROKER } from './broker.ts';
import { DOCUMENT } from './document.ts';
import { FILE_PROBES } from './files.ts';
import { GIVEN_UP } from './given-up.ts';
import { HANDS } from './hands.ts';
import { HTTP } from './http.ts';
import { LOAD } from './load.ts';
import { MQTT } from './mqtt.ts';
import { OPERATOR } from './operator.ts';
import { OWNERSHIP } from './ownership.ts';
import { REVOKED } from './revoked.ts';
import { TENANTS } from './tenants.ts';
import { VALUES } from './values.ts';
import { WEBHOOKS } from './webhooks.ts';

export const PROBES: readonly Probe[] = [
  ...REVOKED,
  ...TENANTS,
  ...ACCOUNTS,
  ...HANDS,
  ...OWNERSHIP,
  ...MQTT,
  ...BROKER,
  ...HTTP,
  ...GIVEN_UP,
  ...VALUES,
  ...FILE_PROBES,
  ...WEBHOOKS,
  ...OPERATOR,
  ...DOCUMENT,
  ...LOAD,
];
