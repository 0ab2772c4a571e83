export interface FieldError {
  field: string;
  message: string;
}

interface Known {
  /** Public text of the error in responses. */
  error: string;
  /** Cause of the error and what the caller can do. */
  meaning: string;
}

const withStatus = <Name extends string>(status: number, errors: Record<Name, Known>) =>
  Object.fromEntries(Object.entries<Known>(errors).map(([name, known]) => [name, { status, ...known }])) as Record<
    Name,
    Known & { status: number }
  >;

/** All errors that the API returns. */
export const ERROR_DEFINITIONS = {
  ...withStatus(400, {
    badRequest: {
      error: 'Bad Request',
      meaning: 'The request was not understood: syntax, unknown or repeated query parameters, malformed JSON.',
    },
    bodyRequired: {
      error: 'A JSON body with Content-Type: application/json is required',
      meaning: 'The request has no body, but the operation needs one.',
    },
    contentType: { error: 'Content-Type must be application/json', meaning: 'The body has a different type.' },
    bodyTooLong: { error: 'The body is longer than 1 MiB', meaning: 'Send less at once.' },
    importTooLong: { error: 'The body is longer than 8 MiB', meaning: 'Send it as several imports.' },
    readingsTooLong: { error: 'The body is longer than 4 MiB', meaning: 'Send the readings in several requests.' },
  }),
  ...withStatus(401, {
    unauthorized: {
      error: 'Unauthorized',
      meaning:
        'The header Authorization: Bearer API_KEY is missing, or the key does not exist: it may be incomplete, or its account was deleted. Keys of the sandbox (eus_test_) and of the live service (eus_live_) work only there. Copy the whole key again, or create a new key.',
    },
    keyRevoked: { error: 'Unauthorized', meaning: 'The API key was revoked. Create a new one.' },
    keyExpired: {
      error: 'Unauthorized',
      meaning: 'The API key or access token has expired. Create a new key, or refresh the token.',
    },
  }),
  ...withStatus(403, {
    forbidden: {
      error: 'Forbidden',
      meaning:
        'If details names a scope, the key lacks it: use a key with that scope. Otherwise the role of the account does not allow this, the user_id is not the homeowner’s own, or the key is limited to a group, a device or a home: use a key of the utility, or of the account that the data belong to.',
    },
    deviceOfUtility: {
      error: 'A utility manages this device',
      meaning:
        'Only the utility or an administrator can change its readings, edits, channels, placement, limits and certificate, and release or delete it. The homeowner can change its location.',
    },
    certificateRegistrars: {
      error: 'Only utilities and administrators can register certificates',
      meaning: 'Ask the utility or the operator to register the certificate of the device.',
    },
    notTheirs: {
      error: 'A utility can only hand a device over to its owner; an administrator can also take it back',
      meaning: 'Do not change managed_by, or set it to owner.',
    },
    keyScopes: {
      error: 'A key can create only keys whose scopes it has itself',
      meaning: 'Request fewer scopes, or use a key with more scopes.',
    },
    homeownersKeyScopes: {
      error: 'A utility can create keys for its homeowners only with insights:read, alerts:read and devices:read',
      meaning: 'Request these scopes, or let the homeowner create the key.',
    },
    addressNotAllowed: {
      error: 'The key may not be used from this address',
      meaning:
        'The request came from an address that is not in the key’s allowed_addresses. Send it from an allowed address, or let the owner of the key change the list.',
    },
    keyAddresses: {
      error: 'A key with allowed_addresses can create only keys that are limited to these addresses',
      meaning: 'Request fewer addresses, or use a key without this limit.',
    },
    keyExpiry: {
      error: 'A key with an expiry can create, rotate or extend keys only up to its own expiry',
      meaning: 'Request an expires_at no later than that of the key that you use, or use a key without an expiry.',
    },
    emailNeedsKeys: {
      error: 'Changing an e-mail address needs keys:write in addition to users:write',
      meaning: 'Use a key that also has the scope keys:write.',
    },
    emailIsItsOwners: {
      error: 'The user has signed in: only the user or an administrator can change the e-mail address',
      meaning: 'A utility can change the address of a homeowner only until the homeowner has signed in.',
    },
    memberScopes: {
      error: 'A key for the home of another account can have only the scopes of the membership',
      meaning:
        'Request fewer scopes: without keys:write, and for a member with access read only scopes that end in :read.',
    },
    webhookOfOther: {
      error: 'An app can change the address and the secret only of webhooks that it created',
      meaning: 'Create a webhook for the app. The owner of the home can change its own webhooks.',
    },
    addressNotConfirmed: {
      error: 'The e-mail address of this account has not been confirmed',
      meaning:
        'Sign in to the dashboard once by mail, or use the invitation that was mailed to this account’s address.',
    },
    originNotAllowed: {
      error: 'Pages of this origin cannot use the tools',
      meaning: 'A request to /mcp with an Origin needs that origin in CORS_ORIGINS.',
    },
    writeNotAllowed: {
      error: 'The tool changes something, and the client has not allowed changes',
      meaning: 'Send Energy-Allow-Write: 1 to /mcp, or start energy mcp with --allow-write.',
    },
    httpsRequired: {
      error: 'HTTPS is required',
      meaning: 'The request was sent without TLS, and was not read. Use https://.',
    },
    operatorHost: {
      error: 'This host name is not allowed here: use the IP address, or add the name to OPERATOR_NAMES',
      meaning:
        'The request to the listener for operators (/metrics, /healthz) used a host name with a dot that is not in OPERATOR_NAMES.',
    },
    ownAddresses: {
      error: 'Only utilities and administrators can use their own addresses as sources of series',
      meaning: 'Use a preset instead, or upload the values.',
    },
    claimRefused: {
      error: 'The claim is refused: this serial cannot be claimed with this batch now',
      meaning:
        'Register the serial, or release its device, and check the batch: it may be expired, revoked or used up.',
    },
  }),
  ...withStatus(404, {
    notFound: {
      error: 'Not Found',
      meaning:
        'The path or its method does not exist (the header Allow lists the methods), or the object does not exist, was deleted, or belongs to an account that the key cannot access. The response is the same in all cases. Check the path, the id, and the owner of the key.',
    },
  }),
  ...withStatus(409, {
    emailInUse: {
      error: 'The e-mail address is already in use',
      meaning: 'Another user has this address. Upper and lower case make no difference.',
    },
    lastAdministrator: {
      error: 'The account is the only administrator',
      meaning: 'Create another administrator first (POST /v1/users), then delete this account or change its role.',
    },
    notHomeowner: {
      error: 'Only the account of a homeowner can become a member of a home',
      meaning:
        'Utilities can access the homes that they enrolled without a membership. Use the account of a homeowner.',
    },
    ownHome: {
      error: 'The home belongs to this account',
      meaning: 'Invite another address, or accept with another account.',
    },
    alreadyMember: {
      error: 'The account or address is already a member of this home, or invited',
      meaning: 'To change the access, end the membership or withdraw the invitation, and invite again.',
    },
    tooManyMembers: {
      error: 'A home has at most 20 members and invitations, and an account at most 20 homes',
      meaning: 'End a membership or withdraw an invitation that is no longer needed.',
    },
    phoneNeeded: {
      error: 'Delivery by SMS needs a phone number of the user (PATCH /v1/users/{user_id})',
      meaning: 'Give the user a phone number first.',
    },
    subscriptionNeeded: {
      error: 'Delivery by webhook needs an active subscription to alert.triggered (POST /v1/webhooks)',
      meaning: 'Create the subscription first.',
    },
    tariffNeeded: {
      error: 'An alert on costs needs a tariff of the user (POST /v1/tariffs)',
      meaning: 'Create a tariff for the user first.',
    },
    tooManyWebhooks: {
      error: 'An account can have at most 100 subscriptions',
      meaning: 'Delete one that is no longer needed.',
    },
    tooManyApps: { error: 'An account can have at most 100 apps', meaning: 'Delete one that is no longer needed.' },
    tooManyAuthorizations: {
      error: 'A home can have at most 100 authorizations of apps',
      meaning: 'End one that is no longer needed.',
    },
    tariffOfDay: {
      error: 'Another tariff of the user begins on the same day',
      meaning: 'Choose another valid_from, or change the existing tariff.',
    },
    tooManyTariffs: { error: 'A user can have at most 1,000 tariffs', meaning: 'Delete one that is no longer needed.' },
    seriesInUse: {
      error: 'A tariff uses the price series',
      meaning: 'Change or remove the tariffs that use it first.',
    },
    emissionSeriesInUse: {
      error: 'An account uses the emission series',
      meaning: 'First set another emission_series_id, or null, for the accounts that use the series.',
    },
    billDaysTaken: {
      error: 'Another bill period of the same home or device contains some of these days',
      meaning: 'Choose another period.',
    },
    billClosed: {
      error: 'The bill period is closed: the next open period bills later changes of its days',
      meaning: 'Choose another period.',
    },
    billNotOver: { error: 'The bill period is not over yet', meaning: 'Choose another period.' },
    tooManyBills: {
      error: 'A user can have at most 1,000 bill periods, and a bill period at most 100 versions',
      meaning: 'Delete one that is no longer needed.',
    },
    tooManyEdits: {
      error: 'A device can have at most 1,000 edits in force, and 10,000 in total',
      meaning: 'Revoke edits that are no longer needed, or combine edits.',
    },
    readByHandTwice: {
      error: 'An edit already adds a reading of this register at this time',
      meaning: 'Revoke that edit first, or choose another time.',
    },
    editTooOld: {
      error: 'The readings that the edit affects have been deleted: the edit cannot be revoked',
      meaning: 'Readings are stored for RETENTION_MONTHS. Older energy cannot be recomputed.',
    },
    tooManySeries: {
      error: 'A user can have at most 1,000 price and emission series',
      meaning: 'Delete one that is no longer needed.',
    },
    tooManySources: {
      error: 'An account can have at most 20 series with a source',
      meaning: 'Remove the source of a series that is no longer needed.',
    },
    tooManyGroups: {
      error: 'An account can have at most 10,000 groups',
      meaning: 'Delete one that is no longer needed.',
    },
    groupHasSubgroups: {
      error: 'The group has subgroups',
      meaning: 'Delete the subgroups first, or move them to another group.',
    },
    valueNeeded: {
      error: 'The device was announced, but none of its values has been received yet',
      meaning: 'Add the topic in details to the bridge of the gateway, and pair the device when a value has arrived.',
    },
    notNative: {
      error: 'The device sends its readings through its gateway',
      meaning: 'Readings over HTTPS are only possible for devices that use the native format themselves.',
    },
    externalIdInUse: {
      error: 'The account already has a device with this external_id',
      meaning: 'Use that device, or another external_id.',
    },
    certificateInUse: {
      error: 'Another device logs in with this certificate',
      meaning: 'Use a separate certificate for each device.',
    },
    importUnderWay: {
      error: 'Another import of this account is in progress',
      meaning: 'Send the import again when the other one has finished.',
    },
    importOvertaken: {
      error: 'Another request has created the same devices or accounts; nothing was imported',
      meaning: 'Send the import again: existing devices and accounts do not change.',
    },
    credentialsGone: {
      error: 'The passwords of this import have already been fetched, or were not fetched within a day',
      meaning: 'Delete the devices whose passwords are lost, and import them again.',
    },
    idempotencyKeyReused: {
      error: 'This Idempotency-Key was used for another request',
      meaning: 'Use a new key for a new request.',
    },
    idempotencyUnderWay: {
      error: 'The first request with this Idempotency-Key is still in progress',
      meaning: 'Repeat the request in a moment.',
    },
  }),
  ...withStatus(422, {
    unprocessable: {
      error: 'Unprocessable Entity',
      meaning: 'Values are missing or not valid; details lists each of them.',
    },
  }),
  ...withStatus(429, {
    tooManyStreams: {
      error: 'Too Many Streams',
      meaning:
        'The account has reached its maximum number of open streams. Close a stream, or share one among your own clients.',
    },
    tooManyRequests: {
      error: 'Too Many Requests',
      meaning: 'The account’s limits are used up, or it is suspended; retry_after is the waiting time in seconds.',
    },
    calculationUnderWay: {
      error: 'Another Calculation Is In Progress',
      meaning:
        'Comparisons of tariffs and what-if calculations of an account run one at a time. Repeat the request when the other one has finished.',
    },
  }),
  ...withStatus(500, {
    internal: {
      error: 'Internal Server Error',
      meaning:
        'An unexpected error. The log of the service has details under the response’s incident number, which is also in Request-Id.',
    },
  }),
  ...withStatus(503, {
    unavailable: {
      error: 'Service Unavailable',
      meaning: 'The service cannot respond at the moment. Repeat the request after the time in Retry-After.',
    },
  }),
};

export type ErrorName = keyof typeof ERROR_DEFINITIONS;

/** Returns the stable code of an error in responses and in the API reference: `key_revoked` for `keyRevoked`. */
export const formatErrorCode = (name: ErrorName): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An error of `ERROR_DEFINITIONS`, which the API returns to the caller. */
export class AppError extends Error {
  override name = 'AppError';
  readonly is: ErrorName;
  readonly details: FieldError[] | undefined;
  /** For status 429: seconds that the caller must wait before the next request. */
  readonly retryAfterSeconds: number | undefined;
  constructor(is: ErrorName, more: { details?: FieldError[]; retryAfterSeconds?: number } = {}) {
    super(ERROR_DEFINITIONS[is].error);
    this.is = is;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** Creates an error with status 422 that names the invalid fields. */
export const createUnprocessableError = (...details: FieldError[]) => new AppError('unprocessable', { details });

/** Returns the value, or throws an error 404 if it is null. */
export function requireFound<T>(found: T | null): T {
  if (found === null) throw new AppError('notFound');
  return found;
}
