import { deliveryToResponse } from '#src/api/v1/webhooks/shape.ts';
import * as log from '#src/delivery/log.ts';

/** Returns the log of deliveries in the API's format. */
export const listDeliveryResponses = async (...of: Parameters<typeof log.listDeliveries>) =>
  (await log.listDeliveries(...of)).map(deliveryToResponse);

export async function retryDelivery(...of: Parameters<typeof log.retryDelivery>) {
  const row = await log.retryDelivery(...of);
  return row && deliveryToResponse(row);
}

export { queueTestEvent } from '#src/delivery/log.ts';
