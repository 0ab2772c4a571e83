import { chooseRoles } from '#ingest/normalise/channels.ts';
import { countedOtherwise, type RolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { wordFor } from '#src/devices/channel-name.ts';
import type { StandingDevice, StandingSeries } from './standing.ts';

/** What the series of a device are to count as, by its owner's words of now. `series`: all that it has, or will have, as they are called. */
export const targetRoles = (
  { words = {} }: Pick<StandingDevice, 'words'>,
  series: readonly StandingSeries[],
): RolesByTime[] => chooseRoles(series.map((one) => ({ ...one, word: wordFor(words, one) })));

/** The times of which stored series of a changed device count as something else than they are to, by series; of the others nothing. */
export function rolesOpen(
  device: Pick<StandingDevice, 'words'>,
  series: readonly StandingSeries[],
): Map<StandingSeries, { fromMs: number; toMs: number }> {
  const target = targetRoles(device, series);
  const open = new Map<StandingSeries, { fromMs: number; toMs: number }>();
  for (const [index, one] of series.entries()) {
    const times = countedOtherwise(one, target[index] as RolesByTime);
    if (times) open.set(one, times);
  }
  return open;
}
