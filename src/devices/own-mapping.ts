import { unprocessable } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { deviceForm, type Mapped, mapping, mayBeOne } from './mapping.ts';

/**
 * Entries of a device's own mapping that are of no device of its name, each with what to do about it. Pure. A mapping takes a message
 * whole, so what such an entry reads is lost to the device, and nobody is told: it is of another one, which is not paired.
 */
export const notItsOwn = (mapped: readonly Mapped[], nativeId: string): { field: string; message: string }[] =>
  mapped.flatMap((one, index) =>
    mayBeOne(deviceForm(one), nativeId)
      ? []
      : {
          field: `decoder_config.mapping.${index}.device`,
          message: `is ${deviceForm(one)}, and this device is heard as ${nativeId}: nothing would be read of it. ${
            one.topic.includes('+')
              ? 'Leave device out, or name it so that + makes that'
              : `Say "device": "${nativeId}"`
          }`,
        },
  );

/** Refuses (422) such entries of what is to be the `decoder_config` of a device that is heard through a gateway. */
export async function mustBeItsOwn(db: Database, deviceId: string, config: unknown): Promise<void> {
  const read = mapping.safeParse((config as { mapping?: unknown } | null)?.mapping);
  if (!read.success) return;
  const heard = await db
    .selectFrom('discovered_devices')
    .select('native_id')
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const [first, ...rest] = heard ? notItsOwn(read.data, heard.native_id) : [];
  if (first) throw unprocessable(first, ...rest);
}
