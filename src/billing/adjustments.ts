import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';

/** Energies that a bill adds up, mWh. */
export interface Energies {
  imported: MilliwattHours;
  exported: MilliwattHours;
}

/** A period of a home or device, as far as adjustments depend on it. */
export interface Period {
  id: string;
  startsAtMs: number;
  isClosed: boolean;
}

export const NOTHING: Energies = { imported: asMilliwattHours(0), exported: asMilliwattHours(0) };

export const plus = (a: Energies, b: Energies): Energies => ({
  imported: asMilliwattHours(a.imported + b.imported),
  exported: asMilliwattHours(a.exported + b.exported),
});

export const minus = (a: Energies, b: Energies): Energies => ({
  imported: asMilliwattHours(a.imported - b.imported),
  exported: asMilliwattHours(a.exported - b.exported),
});

export const isNothing = ({ imported, exported }: Energies): boolean => imported === 0 && exported === 0;

/**
 * The period that tells what changes of a closed one: of those that are open the first that begins after it; null: there is none yet.
 * Pure.
 */
export function nextOpen(periods: readonly Period[], closed: Period): Period | null {
  const open = periods.filter(({ isClosed, startsAtMs }) => !isClosed && startsAtMs > closed.startsAtMs);
  return open.reduce<Period | null>((first, one) => (first && first.startsAtMs <= one.startsAtMs ? first : one), null);
}

/**
 * The closed periods whose corrections are a matter of one: of a closed one its own, of an open one those that it tells. Each costs a look at all
 * of its quarter-hours, and there are more of them each month. Pure.
 */
export function concernedBy(periods: readonly Period[], one: Period): Period[] {
  if (one.isClosed) return [one];
  return periods.filter((period) => period.isClosed && nextOpen(periods, period)?.id === one.id);
}
