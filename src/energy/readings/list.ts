import { mapWithoutBlocking } from '#src/core/turns.ts';
import type { Database } from '#src/database/connect.ts';
import type { AccessibleAccounts } from '#src/database/reach.ts';
import { MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import { createEditFinder } from './edits.ts';
import { type ReadingsPage, readReadingsPage } from './page.ts';
import { findDeviceWithReadings, type SeriesWithReadings } from './series.ts';
import { decideReadingVerdict, type ReadingVerdict } from './verdict.ts';

export interface DeviceReading {
  series: SeriesWithReadings;
  at: Date;
  /** Length of an interval reading in ms; 0 for other readings; -1 if a person or an edit for a wrong clock added it. */
  intervalMs: number;
  /** In the units of `readings.value`: mWh, 0.001 l, mW, 0.001 °C or 0.001 %. */
  value: number;
  verdict: ReadingVerdict;
  /** The edit that excludes or added the reading. Null if there is none. */
  editId: string | null;
}

/** Returns the position of a reading in the list: its time in Unix ms, its series and its length. */
export const formatReadingCursor = ({ at, series, intervalMs }: DeviceReading): string =>
  `${at.getTime()} ${series.seriesId} ${intervalMs}`;

/** Returns the readings of a device that the caller may access, in order of time. Null if there is no such device. */
export async function listReadings(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  page: ReadingsPage,
): Promise<DeviceReading[] | null> {
  const device = await findDeviceWithReadings(db, reach, deviceId);
  if (!device) return null;
  if (device.series.size === 0) return [];
  const rows = await readReadingsPage(db, device, page);
  const asked = rows.filter(
    ({ note, interval_ms }) => note === 'excluded' || interval_ms === MANUAL_READING_INTERVAL_MARKER,
  );
  const editOf = await createEditFinder(db, device, asked);
  return mapWithoutBlocking(rows, (row) => {
    const series = device.series.get(row.series_id) as SeriesWithReadings;
    const judged = {
      atMs: row.read_at.getTime(),
      note: row.note,
      isAwaiting: row.is_awaiting,
      previousMs: row.previous_at?.getTime() ?? null,
      isLowerKept: row.is_lower_kept,
    };
    const { read_at: at, interval_ms: intervalMs, value } = row;
    const verdict = decideReadingVerdict(series, judged, device.maxGapMinutes);
    return { series, at, intervalMs, value, verdict, editId: editOf(row) };
  });
}
