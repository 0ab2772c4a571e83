import { decoderConfigMembers } from '#src/devices/decoder-config.ts';
import type { DecoderSettings } from './family.ts';

/** A `decoder_config` as its owner wrote it, as far as it can be understood; a member that cannot is left out. */
export function readSettings(config: unknown): DecoderSettings {
  if (typeof config !== 'object' || config === null) return {};
  const known = Object.entries(decoderConfigMembers).flatMap(([name, member]) => {
    const parsed = member.safeParse((config as Record<string, unknown>)[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  return Object.fromEntries(known);
}
