import type { IncomingMessage, Reject } from '../message.ts';
import { MAX_KEPT_BYTES, ROWS_WITH_PAYLOAD } from './rejected.ts';

/** What is kept in an hour, of one device and of all, in bytes: rubbish must not fill the disk, nor hide its neighbour's. */
const HOURLY_BYTES = { ofDevice: 64 * 2 ** 20, ofAll: 256 * 2 ** 20 };
const HOUR_MS = 3_600_000;
/** A row beside its texts and its payload. */
const ROW_BYTES = 200;

/** Decides which rejections are kept; all of them are counted. */
export interface Keeping {
  /** Of these the ones to keep. `nowMs`: clock. */
  of(rejects: readonly Reject[], nowMs: number): Reject[];
  /** Takes a decision back: what was to be kept was not committed. */
  undo(rejects: readonly Reject[], kept: readonly Reject[]): void;
  /** Rejections that were only counted. */
  readonly unkept: number;
}

/** Keeps up to a number of bytes each hour, by the hours of the clock. */
export function createKeeping({ ofDevice, ofAll } = HOURLY_BYTES): Keeping {
  let hour = 0;
  let all = 0;
  let unkept = 0;
  const devices = new Map<string, number>();
  return {
    get unkept() {
      return unkept;
    },
    undo(rejects, kept) {
      unkept -= rejects.length - kept.length;
      const rows = new Map<IncomingMessage, number>();
      for (const one of kept) {
        const { deviceId } = one.message.decoded;
        const ofMessage = rows.get(one.message) ?? 0;
        const bytes = bytesOf(one, ofMessage);
        rows.set(one.message, ofMessage + 1);
        all = Math.max(0, all - bytes);
        devices.set(deviceId, Math.max(0, (devices.get(deviceId) ?? 0) - bytes));
      }
    },
    of(rejects, nowMs) {
      const current = Math.floor(nowMs / HOUR_MS);
      if (current !== hour) {
        hour = current;
        all = 0;
        devices.clear();
      }
      const rows = new Map<IncomingMessage, number>();
      return rejects.filter((one) => {
        const { decoded } = one.message;
        const ofMessage = rows.get(one.message) ?? 0;
        const bytes = bytesOf(one, ofMessage);
        const device = (devices.get(decoded.deviceId) ?? 0) + bytes;
        if (device > ofDevice || all + bytes > ofAll) {
          unkept++;
          return false;
        }
        rows.set(one.message, ofMessage + 1);
        devices.set(decoded.deviceId, device);
        all += bytes;
        return true;
      });
    },
  };
}

/** What a row takes; `before`: rows of the same message that come before it. */
function bytesOf({ message: { payload, topic }, reason }: Reject, before: number): number {
  const kept = before < ROWS_WITH_PAYLOAD ? Math.min(payload.length, MAX_KEPT_BYTES) : 0;
  return kept + topic.length + reason.length + ROW_BYTES;
}
