import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DecoderSettings } from '#ingest/decoders/family.ts';

/** Folder that contains the decoders of all device families. */
export const FAMILIES_FOLDER = resolve(import.meta.dirname, '../../ingest/decoders');

interface CaseMessage {
  topic: string;
  payload?: string;
  payload_b64?: string;
}
/** A message from a device, with the result that is expected from its decoder. */
export interface FamilyCase {
  about: string;
  in: CaseMessage & {
    received_at: string;
    tz?: string;
    config?: DecoderSettings;
    prior?: CaseMessage[];
    replayed?: boolean;
  };
  /**
   * Expected result; null if no family recognises the message. `rejected`: number of rejections. If `out` is missing, the test fails and
   * prints the actual result.
   */
  out?: { readings: Record<string, unknown>[]; asks?: Record<string, unknown>[]; rejected: number } | null;
}

const bytesOf = ({ payload, payload_b64 }: CaseMessage) =>
  payload_b64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(payload_b64, 'base64');
export const createCaseMessage = (given: FamilyCase['in']) => ({
  topic: given.topic,
  payload: bytesOf(given),
  receivedAtMs: Date.parse(given.received_at),
  replayed: given.replayed ?? false,
});
export const getFamilyCaseSettings = ({ tz, config }: FamilyCase['in']): DecoderSettings => ({
  ...config,
  ...(tz ? { tz } : {}),
});
/** Returns the messages that the device has sent before the message of a test case. */
export const getPriorMessages = ({ prior = [] }: FamilyCase['in']) =>
  prior.map((one) => ({ topic: one.topic, payload: bytesOf(one) }));
/** Returns a family's test cases by name, from its folder or from `tables/<family>.cases.json`. */
export const getFamilyCases = (family: string): [string, FamilyCase][] => {
  const read = (file: string) => JSON.parse(readFileSync(join(FAMILIES_FOLDER, file), 'utf8'));
  const ofTable = join('tables', `${family}.cases.json`);
  if (existsSync(join(FAMILIES_FOLDER, ofTable))) return Object.entries(read(ofTable) as Record<string, FamilyCase>);
  const folder = join(family, 'cases');
  return existsSync(join(FAMILIES_FOLDER, folder))
    ? readdirSync(join(FAMILIES_FOLDER, folder)).map((file) => [file, read(join(folder, file)) as FamilyCase])
    : [];
};
