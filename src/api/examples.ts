import { ALERT_EXAMPLES } from './v1/alerts/shape.ts';
import { ANALYTICS_EXAMPLES } from './v1/analytics/operations.ts';
import { APP_EXAMPLES } from './v1/apps/shape.ts';
import { AUDIT_EXAMPLES } from './v1/audit/shape.ts';
import { AUTHORIZATION_EXAMPLES } from './v1/authorizations/shape.ts';
import { BILL_PERIOD_EXAMPLES } from './v1/bill-periods/example.ts';
import { DEVICE_EXAMPLES } from './v1/devices/example.ts';
import { ENERGY_INSIGHTS_EXAMPLES } from './v1/energy-insights/shape.ts';
import type { Examples } from './v1/example-ids.ts';
import { FLEET_EXAMPLES } from './v1/fleet/shape.ts';
import { GATEWAY_EXAMPLES } from './v1/gateways/shape.ts';
import { GROUP_EXAMPLES } from './v1/groups/shape.ts';
import { IMPORT_EXAMPLES } from './v1/imports/shape.ts';
import { KEY_EXAMPLES } from './v1/keys/shape.ts';
import { MEMBER_EXAMPLES } from './v1/members/shape.ts';
import type { OperationName } from './v1/operations.ts';
import { PROVISIONING_EXAMPLES } from './v1/provisioning-batches/shape.ts';
import { REMARK_EXAMPLES } from './v1/remarks/shape.ts';
import { SERIES_EXAMPLES } from './v1/series/shape.ts';
import { TARIFF_EXAMPLES } from './v1/tariffs/shape.ts';
import { USAGE_EXAMPLES } from './v1/usage/operations.ts';
import { USER_EXAMPLES } from './v1/users/shape.ts';
import { WEBHOOK_EXAMPLES } from './v1/webhooks/shape.ts';
import { WHAT_IF_EXAMPLES } from './v1/what-if/shape.ts';

/** Example requests and responses of all operations. A test checks each example against the schemas of its operation. */
export const EXAMPLES: Record<OperationName, Examples[string]> = {
  ...ENERGY_INSIGHTS_EXAMPLES,
  ...ANALYTICS_EXAMPLES,
  ...USAGE_EXAMPLES,
  ...REMARK_EXAMPLES,
  ...ALERT_EXAMPLES,
  ...USER_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...DEVICE_EXAMPLES,
  ...FLEET_EXAMPLES,
  ...GATEWAY_EXAMPLES,
  ...GROUP_EXAMPLES,
  ...IMPORT_EXAMPLES,
  ...PROVISIONING_EXAMPLES,
  ...BILL_PERIOD_EXAMPLES,
  ...TARIFF_EXAMPLES,
  ...WHAT_IF_EXAMPLES,
  ...SERIES_EXAMPLES,
  ...KEY_EXAMPLES,
  ...MEMBER_EXAMPLES,
  ...APP_EXAMPLES,
  ...AUTHORIZATION_EXAMPLES,
  ...AUDIT_EXAMPLES,
};
