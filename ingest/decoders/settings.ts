import { readDecoderConfig } from '#src/devices/decoder-config.ts';
import type { DecoderSettings } from './family.ts';

/** A `decoder_config` as its owner wrote it, as far as it can be understood; a member that cannot is left out. */
export const readSettings = (config: unknown): DecoderSettings => readDecoderConfig(config) as DecoderSettings;
