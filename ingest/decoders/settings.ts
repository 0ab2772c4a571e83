import { z } from 'zod';
import type { DecoderSettings } from './family.ts';

const text = z.string().max(200);
const schema = z.object({
  tz: text.optional().catch(undefined),
  senml: z
    .object({ topics: z.array(text).max(100) })
    .optional()
    .catch(undefined),
  meter: z
    .record(text, z.object({ unit: text.optional(), multiplier: z.number().positive().optional() }))
    .optional()
    .catch(undefined),
  emon: z
    .record(text, z.object({ pulses_per_kwh: z.number().positive().optional() }))
    .optional()
    .catch(undefined),
  zigbee2mqtt: z
    .object({
      output: z.enum(['json', 'attribute', 'attribute_and_json']).optional(),
      devices: z.array(text).max(2_000).optional(),
    })
    .optional()
    .catch(undefined),
});

/** A `decoder_config` as its owner wrote it, as far as it can be understood; what cannot is left out. */
export function readSettings(config: unknown): DecoderSettings {
  const parsed = schema.safeParse(config);
  // Through JSON: members that are left out are not there.
  return parsed.success ? (JSON.parse(JSON.stringify(parsed.data)) as DecoderSettings) : {};
}
