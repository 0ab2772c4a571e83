import type { DecoderSettings } from '../family.ts';
import { type Json, member } from '../read/payload.ts';
import { fromIso, fromUnix, trusted } from '../read/time.ts';

/**
 * The message's own time, where it can be trusted. How it is told is set by the commands `Time` and `SetOption52`: wall
 * clock without a zone (as delivered), with an offset, with an `Epoch` beside it, or as Unix seconds.
 */
export function toldAtMs(body: Json, { tz }: DecoderSettings, receivedAtMs: number): number | null {
  const [time, epoch] = [member(body, 'Time'), member(body, 'Epoch')];
  const unix = [epoch, time].find((one) => typeof one === 'number');
  if (typeof unix === 'number') return trusted(fromUnix(unix), receivedAtMs);
  return trusted(fromIso(time, { tz, receivedAtMs }), receivedAtMs);
}
