import { isCostType } from '#src/alerts/period.ts';
import type { AlertType } from '#src/alerts/store.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { hasActiveWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { hasTariff } from '#src/tariffs/store.ts';
import type { User } from '#src/users/store.ts';

const THRESHOLDS = ['threshold_kwh', 'threshold', 'threshold_hours'] as const;
type Threshold = (typeof THRESHOLDS)[number];

/** The one threshold that a type has. */
function thresholdOf(type: AlertType): Threshold {
  if (type === 'no_data') return 'threshold_hours';
  return isCostType(type) ? 'threshold' : 'threshold_kwh';
}

/** 422 where the threshold is not the one that the type has: hours for no_data, money for costs, kWh for every other. */
export function checkThreshold(
  type: AlertType,
  given: { [One in Threshold]?: unknown },
  { required }: { required: boolean },
): void {
  const wanted = thresholdOf(type);
  const other = THRESHOLDS.find((one) => one !== wanted && given[one] !== undefined);
  if (other) throw unprocessable({ field: other, message: `does not go with type ${type}, which has ${wanted}` });
  if (required && given[wanted] === undefined) {
    throw unprocessable({ field: wanted, message: `is required with type ${type}` });
  }
}

/** 409 where a threshold in money would have no currency: the user has no tariff. */
export async function checkTariff(db: Database, userId: string, threshold: string | undefined): Promise<void> {
  if (threshold !== undefined && !(await hasTariff(db, userId))) throw new AppError('tariffNeeded');
}

/** 409 where nobody could be told: a webhook without an active subscription of the owner, SMS without a phone. */
export async function checkDelivery(db: Database, owner: User, delivery: string | undefined): Promise<void> {
  if (delivery === 'sms' && owner.phone === null) {
    throw new AppError('phoneNeeded');
  }
  if (delivery === 'webhook' && !(await hasActiveWebhook(db, owner.user_id, 'alert.triggered'))) {
    throw new AppError('subscriptionNeeded');
  }
}
