import { expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { loadGroupHomes } from '#src/energy/group/homes.ts';
import { streamGroupInsights } from '#src/energy/group/insights.ts';
import { loadStoredSums } from '#src/energy/group/stored-sums.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { listGroupHomes as homesOfGroup } from '#src/groups/members.ts';
import {
  addLateEnergy,
  changeGroupAtRandom,
  computeExpectedGroupRows,
  getDevicesWithData,
  setUpGroupedHomes,
} from '#test/support/grouped-homes.ts';
import { pickRandomElement, type TestHome } from '#test/support/random-homes.ts';

/** Stored sums of a group's current month are used only while they are valid. Responses always equal an independent sum. */
const ALL = [0, 1, 2, 3];
const grouped = setUpGroupedHomes(ALL.length);
const { homes, ask, idOf, path, homesOf, put, keep } = grouped;

/** Compares the group's current month with the expected values, for requests that end on different days, in UTC and in a zone. */
async function agreeOnMonth(name: string, zone: string): Promise<void> {
  const of = homesOf(name);
  for (const tz of ['UTC', zone]) {
    for (const end of ['2026-03-27', '2026-03-29', '2026-03-30']) {
      const query = `start=2026-03-01&end=${end}&group_by=month&tz=${tz}&include=estimated`;
      const { data } = await ask(`${path(name)}/energy-insights?${query}`);
      const months = computeExpectedGroupRows(of, tz, 'month', ['2026-03-01', end])
        .filter(({ kwh_used }) => kwh_used !== null)
        .map((row: Record<string, unknown>) => {
          const { date, kwh_used, peak_hour, estimated_kwh } = row;
          return { date, kwh_used, peak_hour, estimated_kwh };
        });
      expect({ name, tz, end, months: data }).toEqual({ name, tz, end, months });
    }
  }
}

/**
 * Returns which kinds of stored sums a query for the current month uses, and their last day. To detect their use, adds 1 GWh to each kind
 * for a moment.
 */
async function findUsedSums(
  name: string,
  zone: string,
): Promise<{ plain: boolean; composed: boolean; end: string | null }> {
  const { pool } = grouped.api.database;
  const month = `${path(name)}/energy-insights?start=2026-03-01&end=2026-03-30&group_by=month&tz=${zone}`;
  const isTold = async (change: (sign: string) => string) => {
    await pool.query(change('+'));
    const { data } = await ask(month);
    await pool.query(change('-'));
    return data[0].kwh_used > 500_000_000;
  };
  const { rows } = await pool.query(
    `SELECT string_agg(((s.ends_at - interval '1 ms') AT TIME ZONE s.zone)::date::text, ' ') AS end FROM kept_group_sums s
     WHERE s.unit = 'begun' AND s.group_id = $1 AND s.zone = $2`,
    [idOf(name), zone],
  );
  const more = '1000000000000000';
  return {
    plain: await isTold(
      (sign) => `UPDATE kept_group_sums SET used_by_hour[1] = used_by_hour[1] ${sign} ${more} WHERE unit = 'begun'`,
    ),
    composed: await isTold(
      (sign) => `UPDATE kept_begun_homes SET alone[1] = alone[1] ${sign} ${more}, alone_ms[1] = alone_ms[1] ${sign} 1`,
    ),
    end: rows[0]?.end ?? null,
  };
}

/** Requests a group's current month while its data changes. Returns the response, and the expected response without these changes. */
async function answeredMeanwhile(name: string, zone: string) {
  const db = createDatabase(grouped.api.database.pool);
  const groupId = idOf(name);
  const of = homesOf(name);
  const [start, end] = ['2026-03-01', '2026-03-30'];
  const months = computeExpectedGroupRows(of, zone, 'month', [start, end]).map(({ kwh_used }) => kwh_used);
  const group = await loadGroupHomes(db, await homesOfGroup(db, groupId), new Set());
  let turns = 0;
  const changing = {
    ...group,
    async *composed() {
      // The second call of `composed` is for the days after the stored sums. The data changes directly before this call.
      if (++turns === 2) {
        // Devices that produce get no further energy, because the service caches for some seconds whether a device produces.
        const inHome = (home: TestHome) =>
          getDevicesWithData(home).filter(({ placement }) => placement !== 'production');
        for (const home of of) await addLateEnergy(grouped.api, home, inHome(home));
        await keep(zone, 0);
      }
      yield* group.composed();
    },
  };
  const range = createDayRange(start, end, zone);
  const storedSums = await loadStoredSums(db, groupId, changing, { range, groupBy: 'month' });
  const streamedRows = [];
  for await (const page of streamGroupInsights(db, changing, range, 'month', storedSums)) streamedRows.push(...page);
  return {
    turns,
    begun: storedSums.monthToDate?.end,
    told: streamedRows.map(({ kwh_used }) => kwh_used),
    before: months,
  };
}

test('a current month continues from its stored days, but not once they are invalid', async () => {
  const [name, zone] = ['district', 'Europe/Berlin'];
  await put(name, ALL);
  // Each pass runs a day later than the previous pass, and continues from the sums that it has stored.
  for (const [daysLater, end] of [
    [-2, '2026-03-27'],
    [-1, '2026-03-28'],
    [0, '2026-03-29'],
  ] as const) {
    expect(await keep(zone, daysLater)).toBeGreaterThan(0);
    for (const tz of ['UTC', zone]) {
      const reported = await findUsedSums(name, tz);
      expect({ daysLater, tz, ...reported }).toMatchObject({ daysLater, tz, plain: true, composed: true });
      // The stored sums end with a complete day in Berlin, even in the response for UTC.
      expect({ daysLater, tz, end: reported.end }).toEqual({ daysLater, tz, end });
    }
    await agreeOnMonth(name, zone);
  }
  expect(await keep(zone, 0)).toBe(0);

  const { before, ...meanwhile } = await answeredMeanwhile(name, zone);
  expect(meanwhile).toEqual({ turns: 2, begun: '2026-03-29', told: before });
  await agreeOnMonth(name, zone);

  const nothing = { plain: false, composed: false };
  await addLateEnergy(grouped.api, homes[0] as TestHome);
  await agreeOnMonth(name, zone);
  const isKept = async () => (await findUsedSums(name, zone)).composed;
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  const solar = homes[1] as TestHome;
  const device = pickRandomElement(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  device.placement = device.placement === 'excluded' ? 'grid' : 'excluded';
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
  expect(await findUsedSums(name, zone)).toMatchObject(nothing);
  await agreeOnMonth(name, zone);
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  // In Asia/Kolkata (UTC+5:30), a day ends in the middle of a UTC hour.
  const half = 'Asia/Kolkata';
  const change = { indices: ALL, zone: half, times: 5, daysLater: 0 };
  await changeGroupAtRandom(grouped, change, () => agreeOnMonth(name, half));

  await put(name, ALL);
  await keep(zone, 0);
  expect(await findUsedSums(name, zone)).toEqual({ plain: true, composed: true, end: '2026-03-29' });
  await keep(zone, 3);
  expect(await findUsedSums(name, zone)).toEqual({ ...nothing, end: '2026-04-01' });
  await agreeOnMonth(name, zone);
}, 1_800_000);
