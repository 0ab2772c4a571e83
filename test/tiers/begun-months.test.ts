import { expect, test } from 'vitest';
import { createDb } from '#src/database/connect.ts';
import { groupOf } from '#src/energy/group/homes.ts';
import { groupPages } from '#src/energy/group/insights.ts';
import { keptSums } from '#src/energy/group/kept.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { homesOf as homesOfGroup } from '#src/groups/members.ts';
import { addLate, changeAtRandom, devicesOf, expected, groupedHomes } from '#test/support/grouped-homes.ts';
import { oneOf, type TestHome } from '#test/support/random-homes.ts';

/** What is kept of a month under way: whether it is told, the month is what an independent sum over the homes of a group says. */
const ALL = [0, 1, 2, 3];
const grouped = groupedHomes(ALL.length);
const { homes, ask, idOf, path, homesOf, put, keep } = grouped;

/** A month under way of a group, to each of its last days, in UTC and in a zone. */
async function agreeOnMonth(name: string, zone: string): Promise<void> {
  const of = homesOf(name);
  for (const tz of ['UTC', zone]) {
    for (const end of ['2026-03-27', '2026-03-29', '2026-03-30']) {
      const query = `start=2026-03-01&end=${end}&group_by=month&tz=${tz}&include=estimated`;
      const { data } = await ask(`${path(name)}/energy-insights?${query}`);
      const months = expected(of, tz, 'month', ['2026-03-01', end])
        .filter(({ kwh_used }) => kwh_used !== null)
        .map((row: Record<string, unknown>) => {
          const { date, kwh_used, peak_hour, estimated_kwh } = row;
          return { date, kwh_used, peak_hour, estimated_kwh };
        });
      expect({ name, tz, end, months: data }).toEqual({ name, tz, end, months });
    }
  }
}

/** Which halves of what is kept of a month under way are told, each as 1 GWh more for a moment, and until which day it is kept. */
async function toldOfBegun(
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

/** An answer about a month under way, while which hours of its homes change and what was kept is replaced; and what it should have been before. */
async function answeredMeanwhile(name: string, zone: string) {
  const db = createDb(grouped.api.database.pool);
  const groupId = idOf(name);
  const of = homesOf(name);
  const [start, end] = ['2026-03-01', '2026-03-30'];
  const months = expected(of, zone, 'month', [start, end]).map(({ kwh_used }) => kwh_used);
  const group = await groupOf(db, await homesOfGroup(db, groupId), new Set());
  let turns = 0;
  const changing = {
    ...group,
    async *composed() {
      // First it is asked what the group is made of; then the rest of the month is read.
      if (++turns === 2) {
        // Not of what produces: which way its energy flowed is remembered for some seconds.
        const inHome = (home: TestHome) => devicesOf(home).filter(({ placement }) => placement !== 'production');
        for (const home of of) await addLate(grouped.api, home, inHome(home));
        await keep(zone, 0);
      }
      yield* group.composed();
    },
  };
  const range = dayRange(start, end, zone);
  const kept = await keptSums(db, groupId, changing, { range, groupBy: 'month' });
  const told = [];
  for await (const page of groupPages(db, changing, range, 'month', kept)) told.push(...page);
  return { turns, begun: kept.begun?.end, told: told.map(({ kwh_used }) => kwh_used), before: months };
}

test('a month under way goes on from the days that are kept of it, and not once they no longer hold', async () => {
  const [name, zone] = ['district', 'Europe/Berlin'];
  await put(name, ALL);
  // Each time a day later: what is kept goes on from what was.
  for (const [daysLater, end] of [
    [-2, '2026-03-27'],
    [-1, '2026-03-28'],
    [0, '2026-03-29'],
  ] as const) {
    expect(await keep(zone, daysLater)).toBeGreaterThan(0);
    for (const tz of ['UTC', zone]) {
      const told = await toldOfBegun(name, tz);
      expect({ daysLater, tz, ...told }).toMatchObject({ daysLater, tz, plain: true, composed: true });
      // A day of Berlin ends before that of UTC.
      expect({ daysLater, tz, end: told.end }).toEqual({ daysLater, tz, end });
    }
    await agreeOnMonth(name, zone);
  }
  expect(await keep(zone, 0)).toBe(0);

  const { before, ...meanwhile } = await answeredMeanwhile(name, zone);
  expect(meanwhile).toEqual({ turns: 2, begun: '2026-03-29', told: before });
  await agreeOnMonth(name, zone);

  const nothing = { plain: false, composed: false };
  await addLate(grouped.api, homes[0] as TestHome);
  await agreeOnMonth(name, zone);
  const isKept = async () => (await toldOfBegun(name, zone)).composed;
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  const solar = homes[1] as TestHome;
  const device = oneOf(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  device.placement = device.placement === 'excluded' ? 'grid' : 'excluded';
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
  expect(await toldOfBegun(name, zone)).toMatchObject(nothing);
  await agreeOnMonth(name, zone);
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  // Days that end amid an hour of UTC.
  const half = 'Asia/Kolkata';
  const change = { indices: ALL, zone: half, times: 5, daysLater: 0 };
  await changeAtRandom(grouped, change, () => agreeOnMonth(name, half));

  // The month is over, the next one has nothing yet.
  await put(name, ALL);
  await keep(zone, 0);
  expect(await toldOfBegun(name, zone)).toEqual({ plain: true, composed: true, end: '2026-03-29' });
  await keep(zone, 3);
  expect(await toldOfBegun(name, zone)).toEqual({ ...nothing, end: '2026-04-01' });
  await agreeOnMonth(name, zone);
}, 1_800_000);
