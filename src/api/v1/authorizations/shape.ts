import { z } from 'zod';
import { createdAtSchema, instantSchema, pickMembers } from '#src/api/shapes.ts';
import type { Authorization } from '#src/auth/authorizations.ts';
import { APP_SCOPE_NAMES } from '#src/auth/scopes.ts';
import { created_at, type Examples } from '../example-ids.ts';

export const authorizationSchema = z
  .strictObject({
    authorization_id: z.string().describe('Id of the authorization.'),
    app: z
      .strictObject({
        app_id: z.string().describe('Id of the app.'),
        name: z.string().describe('Name of the app.'),
        website: z.string().describe('HTTPS address of a page about the app.'),
      })
      .describe('The authorized app.'),
    scopes: z.array(z.enum(APP_SCOPE_NAMES)).describe('Scopes that the app has in the home now.'),
    created_at: createdAtSchema,
    expires_at: instantSchema.nullable().describe('Expiry time. Null: valid until revoked.'),
    last_used_at: instantSchema.nullable().describe('Time of the app’s latest request, to the minute. Null: none yet.'),
  })
  .meta({ id: 'Authorization' });

export const authorizationToResponse = (row: Authorization): z.output<typeof authorizationSchema> =>
  pickMembers(authorizationSchema, row);

const authorization_id = 'aut_01k8xqf5n7y1d3g9jz2kc6p8t0';

export const AUTHORIZATION_EXAMPLES = {
  listAuthorizations: {
    answer: [
      {
        authorization_id,
        app: { app_id: 'app_01k8xqe3m5w9c1f7hx0jb4n6rz', name: 'Bright Home', website: 'https://bright.example.com' },
        scopes: ['insights:read', 'devices:read'],
        created_at,
        expires_at: '2027-06-01T09:30:00.000Z',
        last_used_at: null,
      },
    ],
  },
  endAuthorization: { answer: { message: `Authorization ${authorization_id} was ended` } },
} satisfies Examples;
