import type { AlertType } from '#src/alerts/store.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { hasActiveWebhook } from '#src/delivery/webhook/subscriptions.ts';
import type { User } from '#src/users/store.ts';

/** 422 where the threshold is not the one that the type has: hours for no_data, kWh for every other. */
export function checkThreshold(
  type: AlertType,
  given: { threshold_kwh?: number | undefined; threshold_hours?: number | undefined },
  { required }: { required: boolean },
): void {
  const [wanted, other] =
    type === 'no_data'
      ? (['threshold_hours', 'threshold_kwh'] as const)
      : (['threshold_kwh', 'threshold_hours'] as const);
  if (given[other] !== undefined) {
    throw unprocessable({ field: other, message: `does not go with type ${type}, which has ${wanted}` });
  }
  if (required && given[wanted] === undefined) {
    throw unprocessable({ field: wanted, message: `is required with type ${type}` });
  }
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
