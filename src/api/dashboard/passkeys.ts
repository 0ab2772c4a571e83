import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { textField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { countSignInRequest } from '#src/api/plugins/rate-limits.ts';
import * as shapes from '#src/api/shapes.ts';
import {
  addPasskey,
  CHALLENGE_LIFETIME_MS,
  createChallenge,
  getPasskeyCreationOptions,
  getPasskeySite,
  listPasskeys as list,
  removePasskey,
} from '#src/auth/passkeys.ts';
import { getNetworkOfAddress, type RequestCounter } from '#src/auth/request-counter.ts';
import { runAsCaller } from '#src/auth/run-as-caller.ts';
import { hasJustSignedIn } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import { authenticateCaller, checkCsrf } from './caller.ts';
import { passkeySchema } from './shapes.ts';

const base64url = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/, 'must be base64url');

/** Members of every response that an authenticator creates (PublicKeyCredential.toJSON). Further members are ignored. */
const credential = {
  // WebAuthn limits a credential id to 1,023 bytes, which are 1,364 characters in base64url.
  id: base64url(1_364),
  rawId: base64url(1_364),
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
};

export const signedPasskeySchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(4_000),
    signature: base64url(4_000),
    userHandle: base64url(100),
  }),
});

const createdPasskey = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url(8_000), attestationObject: base64url(16_000) }),
});

export const listPasskeys = defineOperation('GET /v1/passkeys', {
  summary: 'The caller’s own passkeys.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(passkeySchema),
  async handle({ db, caller }) {
    return (await list(db, caller.userId)).map((one) => shapes.pickMembers(passkeySchema, one));
  },
});

export const createPasskey = defineOperation('POST /v1/passkeys', {
  summary: 'Adds a passkey that the browser has made for the challenge of POST /dashboard/session/passkey.',
  forOwnerOnly: true,
  audit: { action: 'passkey.added', target: 'passkey_id' },
  scope: 'keys:write',
  answer: passkeySchema,
  body: z.strictObject({ challenge_id: textField(100), name: textField(60), credential: createdPasskey }),
  async handle({ context: { clock, publicUrl }, db, caller, body }) {
    const { challenge_id: challengeId, name, credential: response } = body;
    const site = getPasskeySite(publicUrl?.() ?? '');
    const of = { userId: caller.userId, sessionId: caller.keyId, challengeId, name };
    const now = clock();
    const added = await addPasskey(db, { ...of, response, site, now });
    const data = { name: added.name, added_at: now.toISOString() };
    await addEvents(
      createQueryFunction(db),
      [{ type: 'passkey.added', userId: caller.userId, data, channel: 'email' }],
      now,
    );
    return shapes.pickMembers(passkeySchema, added);
  },
});

export const deletePasskey = defineOperation('DELETE /v1/passkeys/{passkey_id}', {
  summary: 'Removes one of the caller’s own passkeys. Sessions that it opened continue.',
  forOwnerOnly: true,
  audit: { action: 'passkey.removed', target: 'passkey_id' },
  scope: 'keys:write',
  answer: shapes.messageSchema,
  handle: async ({ db, caller, params: { passkey_id } }) =>
    shapes.respondOrThrowNotFound(
      await removePasskey(db, caller.userId, passkey_id),
      `Passkey ${passkey_id} was removed`,
    ),
});

interface Parts {
  /** Secret of the installation, with which the challenges are signed. */
  secret: string;
  counter: RequestCounter;
  /** URL at which clients reach the service. */
  publicUrl(): string;
}

/**
 * Adds `POST /dashboard/sign-in/passkey`, which returns a challenge for a sign-in, and `POST /dashboard/session/passkey`, which
 * returns the options for a new passkey.
 */
export function addPasskeyChallenges(app: FastifyInstance, context: ApiContext, parts: Parts): void {
  const { db, clock } = context;
  const { secret, counter, publicUrl } = parts;

  app.post('/dashboard/sign-in/passkey', async (request, reply) => {
    // Limits the number of requests from a network, because each challenge is stored.
    await countSignInRequest(counter, getNetworkOfAddress(request.ip));
    const { challenge_id, challenge } = await createChallenge(db, clock(), null);
    const { host } = getPasskeySite(publicUrl());
    const options = { challenge, rpId: host, userVerification: 'required', timeout: CHALLENGE_LIFETIME_MS };
    return reply.status(201).send({ sign_in_id: challenge_id, options });
  });

  app.post('/dashboard/session/passkey', async (request, reply) => {
    const caller = await authenticateCaller(context, request);
    checkCsrf(secret, request, caller.keyId);
    await countSignInRequest(counter, caller.userId);
    const now = clock();
    const begun = await runAsCaller(db, caller, { now, named: [caller.keyId] }, async (trx) => {
      if (!(await hasJustSignedIn(trx, caller.keyId, now))) throw new AppError('forbidden');
      const { challenge_id, challenge } = await createChallenge(trx, now, caller.keyId);
      const site = getPasskeySite(publicUrl());
      return { challenge_id, options: await getPasskeyCreationOptions(trx, caller.userId, challenge, site) };
    });
    return reply.status(201).send(begun);
  });
}
