import type { Cost } from '#src/api/dashboard/shapes.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { kwh, moneyIn } from './format.ts';

/** An amount as answers tell it, for people. */
export const money = (amount: string, currency: string): string => moneyIn(currency)(Number(amount));

/** What must be said beside a total: how much of it is estimated, and what is not in it. */
export function caveatsOf({ currency, estimated, missing_prices_kwh }: NonNullable<Cost>): string[] {
  const { common } = words();
  return [
    ...(Number(estimated) === 0 ? [] : [common.estimatedOfIt({ amount: money(estimated, currency) })]),
    ...(missing_prices_kwh === 0 ? [] : [common.withoutPrice({ energy: kwh(missing_prices_kwh) })]),
  ];
}

/** A total with what must be said beside it, in a line. */
export const moneyOf = (cost: NonNullable<Cost>): string =>
  [money(cost.total, cost.currency), ...caveatsOf(cost)].join(', ');

/** An amount that is no more than likely, without its cents where it has more than a few. */
export const moneyAbout = (amount: number, currency: string): string =>
  numberFormat({
    style: 'currency',
    currency,
    signDisplay: 'negative',
    ...(Math.abs(amount) >= 10 ? { maximumFractionDigits: 0 } : {}),
  }).format(amount);
