/** One attempt of one delivery. */
export interface Sending {
  deliveryId: string;
  /** The webhook_id, or email, or sms. */
  target: string;
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
