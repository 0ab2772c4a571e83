import type { FastifyReply } from 'fastify';
import { type Caller, getRequestCounterName } from '#src/auth/authenticate.ts';
import { getNetworkOfAddress, type RequestCounter, type RequestDecision } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';

/** Adds headers with the account's request limits and remaining requests. */
function tellLimits(reply: FastifyReply, { windows }: RequestDecision): void {
  if (!windows) return;
  const { minute, day } = windows;
  reply.header('RateLimit-Policy', `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`);
  reply.header(
    'RateLimit',
    `"minute";r=${minute.left};t=${minute.resetsInSeconds}, "day";r=${day.left};t=${day.resetsInSeconds}`,
  );
}

/**
 * Counts a request. `weight`: number of requests that it counts as. Throws 429 if the limit of the plan is reached, or if the
 * account or the key is suspended.
 */
export async function countRequest(
  counter: RequestCounter,
  reply: FastifyReply,
  caller: Caller,
  weight: number,
): Promise<void> {
  const { keyId, device } = caller;
  if (device) return countDeviceRequest(counter, reply, { keyId, deviceId: device.id });
  const decision = await counter.take(getRequestCounterName(caller), weight);
  tellLimits(reply, decision);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}

/**
 * Counts a request with a key that is limited to a device. All keys of the device share its limit per minute. Refused requests
 * are counted for each key, so that only the key that caused them is suspended.
 */
async function countDeviceRequest(
  counter: RequestCounter,
  reply: FastifyReply,
  { keyId, deviceId }: { keyId: string; deviceId: string },
): Promise<void> {
  const ofKey = `key:${keyId}`;
  if ((await counter.suspended([ofKey])).size > 0) await refuseSuspendedOne(counter, ofKey);
  const decision = await counter.take(`device:${deviceId}`);
  if (decision.windows) {
    const { limit, left, resetsInSeconds } = decision.windows.minute;
    reply.header('RateLimit-Policy', `"minute";q=${limit};w=60`);
    reply.header('RateLimit', `"minute";r=${left};t=${resetsInSeconds}`);
  }
  if (decision.allowed) return;
  await counter.take(ofKey);
  await refuseSuspendedOne(counter, ofKey);
  throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}

/** Throws 429 if the account or key was suspended while the body of the request arrived. */
export const refuseSuspendedCaller = (counter: RequestCounter, caller: Caller): Promise<void> =>
  refuseSuspendedOne(counter, caller.device ? `key:${caller.keyId}` : getRequestCounterName(caller));

async function refuseSuspendedOne(counter: RequestCounter, counted: string): Promise<void> {
  const waitSeconds = await counter.suspendedForSeconds(counted);
  if (waitSeconds > 0) throw new AppError('tooManyRequests', { retryAfterSeconds: Math.ceil(waitSeconds) });
}

/** Counts a failed authentication from an address. Throws 429 if there were too many failures from that address. */
export async function countFailedAuthentication(counter: RequestCounter, address: string): Promise<void> {
  await countAddress(counter, getNetworkOfAddress(address));
}

/**
 * Counts a sign-in request from a network or a known browser. Throws 429 if there were too many. Invalid API keys are counted
 * separately, so that they do not keep people from signing in.
 */
export async function countSignInRequest(counter: RequestCounter, who: string): Promise<void> {
  await countAddress(counter, `sign-in ${who}`);
}

/** Counts the requests for consent that come from a network, because the service may store each. Throws 429 if there are too many. */
export async function countConsentRequest(counter: RequestCounter, address: string): Promise<void> {
  await countAddress(counter, `authorization ${getNetworkOfAddress(address)}`);
}

async function countAddress(counter: RequestCounter, counted: string): Promise<void> {
  const decision = await counter.take(`addr:${counted}`);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}
