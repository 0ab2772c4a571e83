import { expect, test } from 'vitest';
import {
  type BackupCopyInTarget,
  chooseBackupCopy,
  createManifest,
  explainRestoreRefusal,
  getNextWalSegment,
  hasCompleteWalSinceCopy,
  listExpiredBackups,
  listWalSegmentsAfter,
  listWalSegmentsBetween,
} from './copies.ts';

const copyAt = (hour: number): BackupCopyInTarget => ({
  folder: `/copies/base-${hour}`,
  manifest: createManifest({
    service: '1.7.0',
    schema: 'schema/0080_x.sql',
    postgres_major: 18,
    processor: 'x64',
    installation: 'installation-0123456789ab',
    started_at: `2026-11-27T${hour}:00:00.000Z`,
    complete_until: `2026-11-27T${hour}:10:00.000Z`,
    consistent_from: `2026-11-27T${hour}:10:01.000Z`,
    first_segment: '000000010000000000000001',
    last_segment: '000000010000000000000002',
    bytes: 1,
    is_sealed: false,
    has_secret_key: false,
  }),
});

test('chooses the newest copy that was complete at a given time', () => {
  const copies = [copyAt(12), copyAt(10), copyAt(11)];
  const chosen = (at: string | null) => chooseBackupCopy(copies, at === null ? null : new Date(at), '/copies').folder;
  expect(chosen(null)).toBe('/copies/base-12');
  expect(chosen('2026-11-27T12:09:59Z')).toBe('/copies/base-11');
  expect(chosen('2026-11-27T12:10:00Z')).toBe('/copies/base-12');
  expect(() => chosen('2026-11-27T10:00:00Z')).toThrow('earliest state in /copies is of 2026-11-27T10:10:01.000Z');
  expect(() => chooseBackupCopy([], null, '/copies')).toThrow('There is no copy in /copies');
});

test('refuses a copy that this machine or version cannot restore, and explains what to do', () => {
  const here = { service: '1.7.0', schemas: ['schema/0080_x.sql'], postgresMajor: 18, processor: 'x64' };
  const { manifest } = copyAt(10);
  expect(explainRestoreRefusal(manifest, here)).toBeNull();
  expect(explainRestoreRefusal(manifest, { ...here, schemas: ['schema/0079_w.sql'] })).toContain('newer than this one');
  expect(explainRestoreRefusal(manifest, { ...here, postgresMajor: 17 })).toContain(
    'was made by PostgreSQL 18, and this version contains 17',
  );
  expect(explainRestoreRefusal(manifest, { ...here, postgresMajor: 19 })).toContain('upgrade-database');
  expect(explainRestoreRefusal(manifest, { ...here, processor: 'arm64' })).toContain('another processor');
});

test('counts segments across the end of a log file, and stops at a gap', () => {
  expect(getNextWalSegment('0000000100000002000000FF')).toBe('000000010000000300000000');
  expect(getNextWalSegment('00000002FFFFFFFE000000FF')).toBe('00000002FFFFFFFF00000000');
  expect(listWalSegmentsBetween('0000000100000000000000FE', '000000010000000100000001')).toEqual([
    '0000000100000000000000FE',
    '0000000100000000000000FF',
    '000000010000000100000000',
    '000000010000000100000001',
  ]);
  const archived = new Set(['000000010000000000000003', '000000010000000000000004', '000000010000000000000006']);
  expect(listWalSegmentsAfter('000000010000000000000002', archived)).toEqual([
    '000000010000000000000003',
    '000000010000000000000004',
  ]);
  expect(listWalSegmentsAfter('000000010000000000000004', archived)).toEqual([]);
});

test('copies beyond the newest ones expire, together with the segments that only they need', () => {
  const copies = [1, 2, 3].map((number) => {
    const { folder, manifest } = copyAt(10 + number);
    return { folder, manifest: { ...manifest, last_segment: `00000001000000000000000${2 * number}` } };
  });
  const archived = ['1', '2', '3', '4', '5', '6', '7'].map((digit) => `00000001000000000000000${digit}`);
  expect(listExpiredBackups(copies, archived, 2)).toEqual({
    folders: ['/copies/base-11'],
    segments: archived.slice(0, 4),
  });
  expect(listExpiredBackups(copies, archived, 7)).toEqual({ folders: [], segments: archived.slice(0, 2) });
  expect(listExpiredBackups([], archived, 7)).toEqual({ folders: [], segments: [] });
  // The newest copy needs segment 7 and all later segments.
  expect(hasCompleteWalSinceCopy(copies, new Set(archived))).toBe(true);
  expect(hasCompleteWalSinceCopy(copies, new Set([...archived, '000000010000000000000009']))).toBe(false);
  expect(hasCompleteWalSinceCopy([], new Set())).toBe(false);
});
