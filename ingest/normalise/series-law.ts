import { parseChannel, type Roles } from './channels.ts';
import { intervalLaw } from './intervals.ts';
import type { Law, LawSettings } from './law.ts';
import { powerLaw } from './power.ts';
import { registerLaw } from './registers.ts';

/** The law that a series of this channel and kind follows in these roles; null where nothing of it counts. */
export function lawOfSeries(
  channelName: string,
  kind: string,
  roles: Roles,
  settings: LawSettings,
): Law<unknown> | null {
  if (!roles.import && !roles.export) return null;
  const { direction } = parseChannel(channelName);
  if (kind === 'register') return registerLaw(settings, direction);
  if (kind === 'interval') return intervalLaw(direction);
  if (kind === 'power') return powerLaw(settings, { ...roles, channelDirection: direction });
  return null;
}
