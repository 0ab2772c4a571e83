import type { Pool } from '#src/database/connect.ts';
import type { SourceAndTargetInstallations } from './installations.ts';

/** A tariff of a moving account whose price series does not move. */
export interface UnpricedTariff {
  user_id: string;
  tariff_id: string;
  tariff: string;
  series_id: string;
  /** Name of the price series at the source; null if it no longer exists. */
  series: string | null;
}

/**
 * Returns the tariffs of moving accounts whose price series will not be at the target. `at`: pool of the installation that has the
 * accounts.
 */
export async function findUnpricedTariffs(
  { source, target }: SourceAndTargetInstallations,
  at: Pool,
  userIds: readonly string[],
): Promise<UnpricedTariff[]> {
  // Raw SQL: the statements run on two databases.
  const { rows } = await at.query(
    `SELECT DISTINCT user_id, tariff_id, name AS tariff, s.series_id, valid_from FROM tariffs
       CROSS JOIN LATERAL (VALUES (terms #>> '{import,series_id}'), (terms #>> '{export,series_id}')) s (series_id)
     WHERE user_id = ANY ($1) AND s.series_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM price_series p WHERE p.series_id = s.series_id AND p.user_id = ANY ($1))
     ORDER BY user_id, valid_from, s.series_id`,
    [userIds],
  );
  const seriesIds = rows.map(({ series_id }) => series_id);
  const [there, here] = [await seriesOf(target.pool, seriesIds), await seriesOf(source.pool, seriesIds)];
  const known = new Set(there.map(({ id }) => id));
  const names = new Map(here.map(({ id, name }) => [id, name]));
  return rows
    .filter(({ series_id }) => !known.has(series_id))
    .map(({ valid_from: _from, ...one }) => ({ ...one, series: names.get(one.series_id) ?? null }));
}

async function seriesOf(pool: Pool, seriesIds: readonly string[]): Promise<{ id: string; name: string }[]> {
  const text = 'SELECT series_id AS id, name FROM price_series WHERE series_id = ANY ($1)';
  return (await pool.query(text, [seriesIds])).rows;
}

/** Formats tariffs without prices for an operator, one line each, with the remedy. */
export function describeUnpricedTariffs(tariffs: readonly UnpricedTariff[]): string {
  if (tariffs.length === 0) return '';
  const each = tariffs.map(
    ({ user_id, tariff, tariff_id, series, series_id }) =>
      `  ${user_id}, tariff “${tariff}” (${tariff_id}): series ${series === null ? series_id : `“${series}” (${series_id})`}`,
  );
  return (
    `These tariffs use price series of accounts that do not move. In the new installation their energy has no price (missing_prices_kwh), and alerts on costs do not fire, ` +
    `until an administrator creates the series there and sets it in the tariffs (deploy/SIZING.md, Splitting a region):\n${each.join('\n')}`
  );
}
