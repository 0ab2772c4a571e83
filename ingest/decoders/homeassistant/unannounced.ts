import type { DecoderSettings, DeviceMessage, FamilyDecodeResult } from '../family.ts';
import { namesFamily } from '../names/decode.ts';
import { createCircuitWord } from '../read/circuit-word.ts';
import { parseJsonObject } from '../read/payload.ts';
import { createEmptyResult } from '../read/value-collector.ts';
import type { TemplateExpression } from './expression.ts';
import type { ValueSource } from './source.ts';

/** Returns the member of a JSON message that a template reads; undefined if the template computes its value from several members. */
function memberIn(template: TemplateExpression | null): string | undefined {
  if (template?.is === 'filter') return memberIn(template.of);
  const [member] = template?.is === 'path' && template.root === 'value_json' ? template.keys : [];
  return typeof member === 'string' ? member : undefined;
}

/**
 * Asks the owner about the members of a message that no announcement reads, for a device whose announced members are no registers, such as
 * values of a day. The names of the members decide, as for a device without announcements.
 */
export function askAboutUnannouncedMembers(
  message: DeviceMessage,
  settings: DecoderSettings,
  { device, sources }: { device: string; sources: readonly ValueSource[] },
): FamilyDecodeResult {
  const body = parseJsonObject(message.payload);
  const announced = new Set(sources.map(({ template }) => memberIn(template)));
  if (!body || announced.has(undefined)) return createEmptyResult();
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !announced.has(name)));
  const payload = Buffer.from(JSON.stringify(others));
  const said = namesFamily.decode({ ...message, payload }, settings, null)?.said ?? [];
  const metered = said.filter(
    ({ kind, channel }) => /^(?:energy|power)/.test(kind) && !/(?:^|\/)ignored\//.test(channel),
  );
  return {
    said: metered.map(({ kind, value, atMs, native, asks = { unit: kind === 'power_w' ? 'W' : 'kWh' } }) => ({
      ...{ device, kind, value, atMs, native, asks },
      channel: `unknown/${createCircuitWord(native)}`,
    })),
    refused: [],
  };
}
