import type { Family } from './family.ts';
import { glow } from './glow/decode.ts';

/**
 * Families of devices, in the order in which they are asked; a message is the first one's that takes it. The generic layer
 * (Home Assistant discovery) comes last: what a family reads by itself is not read by what it announces, too.
 */
export const FAMILIES: readonly Family[] = [glow];
