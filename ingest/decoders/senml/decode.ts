import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, refusal } from '../read/heard.ts';
import { readJson } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { type SenmlName, takeApart } from './names.ts';
import { quantitiesOf } from './quantity.ts';
import { type Resolved, refusePack, resolve } from './resolve.ts';
import { parseSenmlTopic } from './topic.ts';

/** SenML packs (RFC 8428, JSON), on the topics that their owner has set. */
export const senml = withoutMemory({ name: 'senml', decode });

/** The unit of an IPSO object. */
const IPSO_UNIT = 5701;
const MAX_PART = 100;

function decode(
  { topic, payload, receivedAtMs, replayed = false }: DeviceMessage,
  settings: DecoderSettings,
): Heard | null {
  const parsed = parseSenmlTopic(topic, settings.senml?.topics ?? []);
  if (!parsed) return null;
  const pack = readJson(payload);
  if (!Array.isArray(pack)) return refusal('payload is not a SenML pack: a JSON array of records');
  const bad = refusePack(pack);
  if (bad !== null) return refusal(bad);
  const { records, refused } = resolve(pack, { receivedAtMs, replayed });
  const heard = hearing();
  for (const reason of refused) heard.refuse(reason);
  const named = records.map((record) => ({ record, of: takeApart(record.base, record.name, parsed.device) }));
  const units = unitsOf(named);
  /** Which name has a channel. */
  const taken = new Map<string, string>();
  for (const { record, of } of named) {
    if (of.part.length > MAX_PART) {
      heard.refuse('a name is too long');
      continue;
    }
    const name = record.base + record.name;
    for (const quantity of quantitiesOf(record, of, units.get(objectOf(of)))) {
      const key = JSON.stringify([of.device, quantity.channel, quantity.kind]);
      const first = taken.get(key) ?? name;
      taken.set(key, first);
      if (first !== name) {
        heard.refuse(`${name.slice(0, 100)} cannot be told from ${first.slice(0, 100)}`);
        continue;
      }
      heard.add({ ...quantity, device: of.device, atMs: trusted(record.atMs, receivedAtMs), name });
    }
  }
  return heard;
}

/** The units that IPSO objects tell in a record of their own, by device and object. */
function unitsOf(named: readonly { record: Resolved; of: SenmlName }[]): Map<string, string> {
  const units = new Map<string, string>();
  for (const { record, of } of named) {
    if (of.ipso?.resource === IPSO_UNIT && record.text !== null) units.set(objectOf(of), record.text.trim());
  }
  return units;
}

const objectOf = ({ device, ipso }: SenmlName): string => (ipso ? `${device} ${ipso.object}/${ipso.instance}` : '');
