import type { Environment } from '#src/core/environment.ts';
import { VERSION } from '#src/core/version.ts';
import type { ToldEnvelope } from '#src/events/bodies.ts';

/** The parts of an event that are sent. */
export interface ToldEvent {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** Body of a webhook: the same bytes at every attempt, and what the log shows of it. */
export function envelope({ id, type, createdAt, data }: ToldEvent, environment: Environment): string {
  const told: ToldEnvelope = { id, type, created_at: createdAt.toISOString(), environment, data };
  return JSON.stringify(told);
}

/** Headers of every try that hold no secret; `signedHeaders` in send.ts makes the others. */
export const PLAIN_HEADERS = {
  'content-type': 'application/json',
  'user-agent': `energy-usage-service/${VERSION}`,
} as const;
