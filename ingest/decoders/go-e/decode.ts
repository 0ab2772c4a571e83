import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readJson } from '../read/payload.ts';

/**
 * Keys by which topics are known where the prefix is its owner's own: `eto` and `nrg` are nobody else's, behind a serial number of
 * six digits.
 */
const OWN_PREFIX = /^(?:.+\/)?(\d{6})\/(eto|nrg)$/;
const CHARGER = /^(?:.*\/)?go-eCharger\/([0-9A-Za-z]{4,16})\/([A-Za-z0-9_]{2,32})(\/.+)?$/;

/** Reads a topic of a charger: `/go-eCharger/072246/eto`, `go-eCharger/072246/eto`; null for every other one. */
function parseGoETopic(topic: string): { device: string; key: string; isCommand: boolean } | null {
  const [, device, key, more] = CHARGER.exec(topic) ?? OWN_PREFIX.exec(topic) ?? [];
  return device && key ? { device, key, isCommand: more !== undefined } : null;
}

/** go-e chargers with the second edition of their interface. */
export const goE = withoutMemory({ name: 'go-e', takes: (topic) => parseGoETopic(topic) !== null, decode });

/** Where the powers of `nrg` are: of three phases, and all together (of neutral, on 10, nothing is read). */
const POWERS = [
  ['import/l1', 7],
  ['import/l2', 8],
  ['import/l3', 9],
  ['import', 11],
] as const;
const NRG_LENGTH = 16;

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseGoETopic(topic);
  if (!parsed) return null;
  const { device, key, isCommand } = parsed;
  if (isCommand || (key !== 'eto' && key !== 'nrg') || payload.length === 0) return nothing();
  const body = readJson(payload);
  const heard = hearing();
  if (body === undefined) return refusal(`${key} is not JSON`);
  if (key === 'eto') {
    heard.add({ device, channel: 'import', kind: 'energy_total_kwh', value: body, per: 1_000, name: key });
  } else if (Array.isArray(body) && body.length >= NRG_LENGTH) {
    for (const [channel, index] of POWERS) {
      heard.add({ device, channel, kind: 'power_w', value: body[index], name: `nrg[${index}]` });
    }
  } else if (body !== null) heard.refuse('nrg is not the list of sixteen values', device);
  return heard;
}
