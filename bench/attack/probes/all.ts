import type { Probe } from '../probe.ts';
import { ACCOUNT_PROBES } from './accounts.ts';
import { APP_PROBES } from './apps.ts';
import { BROKER_PROBES } from './broker.ts';
import { CANCELLED_REQUEST_PROBES } from './cancelled-requests.ts';
import { CHANGED_ACCOUNT_PROBES } from './changed-accounts.ts';
import { OPENAPI_DOCUMENT_PROBES } from './document.ts';
import { FILE_PROBES } from './files.ts';
import { HTTP_PROBES } from './http.ts';
import { LOAD_PROBES } from './load.ts';
import { MQTT_PROBES } from './mqtt.ts';
import { OPERATOR_PROBES } from './operator.ts';
import { OWNERSHIP_PROBES } from './ownership.ts';
import { REVOKED_KEY_PROBES } from './revoked-keys.ts';
import { TENANT_PROBES } from './tenants.ts';
import { INVALID_VALUE_PROBES } from './values.ts';
import { WEBHOOK_PROBES } from './webhooks.ts';

export const ALL_PROBES: readonly Probe[] = [
  ...REVOKED_KEY_PROBES,
  ...TENANT_PROBES,
  ...ACCOUNT_PROBES,
  ...CHANGED_ACCOUNT_PROBES,
  ...APP_PROBES,
  ...OWNERSHIP_PROBES,
  ...MQTT_PROBES,
  ...BROKER_PROBES,
  ...HTTP_PROBES,
  ...CANCELLED_REQUEST_PROBES,
  ...INVALID_VALUE_PROBES,
  ...FILE_PROBES,
  ...WEBHOOK_PROBES,
  ...OPERATOR_PROBES,
  ...OPENAPI_DOCUMENT_PROBES,
  ...LOAD_PROBES,
];
