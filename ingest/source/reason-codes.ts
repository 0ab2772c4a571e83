/** Reason codes that the embedded broker sends (MQTT 5, 2.4). */
export const REASON_CODES = {
  success: 0x00,
  noSubscription: 0x11,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  badClientId: 0x85,
  badPassword: 0x86,
  notAuthorised: 0x87,
  busy: 0x89,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  badFilter: 0x8f,
  badTopic: 0x90,
  badTopicAlias: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  noSubscriptionIdentifiers: 0xa1,
} as const;

/** Reason codes of MQTT 5 by the return code of a CONNACK in MQTT 3.1.1 (3.2.2.3). */
export const REASON_CODES_BY_RETURN_CODE: readonly number[] = [
  REASON_CODES.success,
  REASON_CODES.unsupportedVersion,
  REASON_CODES.badClientId,
  REASON_CODES.busy,
  REASON_CODES.badPassword,
  REASON_CODES.notAuthorised,
];

export interface PacketFault {
  why: string;
  reasonCode: number;
}

/** An error that ends a connection, with the reason code for MQTT 5 clients. */
export class RefusedPacketError extends Error implements PacketFault {
  readonly reasonCode: number;

  constructor(why: string, reasonCode: number) {
    super(why);
    this.reasonCode = reasonCode;
  }

  get why(): string {
    return this.message;
  }
}

/** Returns the reason code for an error that ends a connection. Errors of aedes and mqtt-packet have only a text. */
export function getReasonCode(error: Error): number {
  if (error instanceof RefusedPacketError) return error.reasonCode;
  if (error.message === 'Invalid protocol version') return REASON_CODES.unsupportedVersion;
  if (error.message.startsWith('keep alive')) return REASON_CODES.keepAliveTimeout;
  if (/SUBSCRIBE/.test(error.message)) return REASON_CODES.badFilter;
  return /PUBLISH$|^topic has/.test(error.message) ? REASON_CODES.badTopic : REASON_CODES.malformed;
}
