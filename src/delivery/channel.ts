/** One attempt of one delivery. */
export interface Sending {
  deliveryId: string;
  /** The webhook_id, or email, or sms. */
  target: string;
  /** Until when it is this worker's: it is known by that, too. */
  leasedUntil: Date;
  event: { id: string; type: string; createdAt: Date; userId: string; data: Record<string, unknown> };
}

/** Outcome of an attempt. */
export interface Outcome {
  succeeded: boolean;
  /** Of the receiver: an HTTP status, or the reply code of an SMTP server. Null where there was no answer. */
  responseStatus: number | null;
  /** What went wrong, for the log that the owner reads; null where nothing did. */
  error: string | null;
  /** The beginning of what a webhook's receiver answered. */
  responseBody?: string;
}

/** A way to reach somebody. Never throws: a failure is an outcome. */
export interface Channel {
  send(sending: Sending): Promise<Outcome>;
}

/**
 * Whether a delivery may be another worker's by now: this one hung between taking it and sending it. A channel that asks something
 * before it sends looks once more.
 */
export const isOver = ({ leasedUntil }: Sending, now: Date): boolean => now >= leasedUntil;

/** What then comes of the try; it is recorded only if no other worker took the delivery. */
export const TOO_LATE: Outcome = { succeeded: false, responseStatus: null, error: 'not sent: the service was held up' };
