import { deliveryToWire } from '#src/api/v1/webhooks/shape.ts';
import * as log from '#src/delivery/log.ts';

/** The log of deliveries as the API answers it. */
export const listDeliveries = async (...of: Parameters<typeof log.listDeliveries>) =>
  (await log.listDeliveries(...of)).map(deliveryToWire);

export async function retryDelivery(...of: Parameters<typeof log.retryDelivery>) {
  const row = await log.retryDelivery(...of);
  return row && deliveryToWire(row);
}

export { sendTest } from '#src/delivery/log.ts';
