import { faultOf } from './fault.ts';
import type { IncomingMessage, Writer } from './write/writer.ts';

/** Longest text of an error that is kept with a message. */
const MAX_ERROR_CHARACTERS = 300;

/**
 * Whether messages of a batch are to blame for an error, and not the database's state. What our own code threw counts only while the
 * database answers an empty batch.
 */
export async function isOfTheMessages(writer: Writer, error: unknown): Promise<boolean> {
  const fault = faultOf(error);
  if (fault !== 'code') return fault === 'data';
  return writer.write([]).then(
    () => true,
    () => false,
  );
}

/** The message as a whole, refused, with the reason. */
export function refused({ gateway: _gateway, ...message }: IncomingMessage, error: Error): IncomingMessage {
  const reason = `cannot be written: ${error.message.slice(0, MAX_ERROR_CHARACTERS)}`;
  const { deviceId } = message.decoded;
  return { ...message, decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] } };
}

/** A batch in two halves, in its order: which of its messages breaks it is found by them. */
export function halvesOf<T>(batch: readonly T[]): [T[], T[]] {
  const middle = batch.length >> 1;
  return [batch.slice(0, middle), batch.slice(middle)];
}

/**
 * Writes messages as the pipeline does, but tries nothing again: one that breaks its batch is found by halves, and kept as a rejection. Throws where
 * the database fails, or a refusal cannot be kept either; what was written by then is written.
 */
export async function writeOrRefuse(writer: Writer, batch: readonly IncomingMessage[]): Promise<void> {
  try {
    await writer.write(batch);
  } catch (error) {
    if (!(await isOfTheMessages(writer, error))) throw error;
    const [only] = batch;
    if (batch.length > 1) for (const half of halvesOf(batch)) await writeOrRefuse(writer, half);
    else if (only) await writer.write([refused(only, error as Error)]);
  }
}
