import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, refusal } from '../read/heard.ts';
import { member, readObject, readText } from '../read/payload.ts';

const TOPIC = /(?:^|\/)device\/([^/]+)\/realtime$/;

/** The serial number in a topic `device/{SN}/realtime`, below any prefix; null for every other topic. */
const parseIammeterTopic = (topic: string): string | null => TOPIC.exec(topic)?.[1] ?? null;

/** What the rows of `Datas` measure; the fourth is there while the meter counts net of its phases. */
const ROWS = ['/l1', '/l2', '/l3', ''];

/** IAMMETER: meters of one and three phases with WiFi. */
export const iammeter = withoutMemory({
  name: 'iammeter',
  takes: (topic) => parseIammeterTopic(topic) !== null,
  decode,
});

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const device = parseIammeterTopic(topic);
  if (device === null) return null;
  // Others have topics of this shape, too.
  if (!/"Datas?"/.test(readText(payload) ?? '')) return null;
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  if (typeof member(body, 'SN') !== 'string') return null;
  const [one, many] = [member(body, 'Data'), member(body, 'Datas')];
  const heard = hearing();
  if (Array.isArray(one)) addRow(heard, device, one, { name: 'Data', below: '' });
  else if (one !== undefined) heard.refuse('Data is no list', device);
  if (Array.isArray(many)) {
    for (const [index, below] of ROWS.entries()) {
      const row: unknown = many[index];
      if (Array.isArray(row)) addRow(heard, device, row, { name: `Datas[${index}]`, below });
      else if (row !== undefined && row !== null) heard.refuse(`Datas[${index}] is no list`, device);
    }
  } else if (many !== undefined) heard.refuse('Datas is no list', device);
  return heard;
}

/** V, A, W, kWh imported, kWh exported, Hz, power factor. */
function addRow(heard: Hearing, device: string, row: unknown[], { name, below }: { name: string; below: string }) {
  const [, , watts, imported, exported] = row;
  heard.add({ device, channel: `import${below}`, kind: 'power_w', value: watts, name: `${name}[2]` });
  heard.add({ device, channel: `import${below}`, kind: 'energy_total_kwh', value: imported, name: `${name}[3]` });
  heard.add({ device, channel: `export${below}`, kind: 'energy_total_kwh', value: exported, name: `${name}[4]` });
}
