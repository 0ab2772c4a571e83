import type { Bridge, Output } from './memory.ts';

/** Kind of a message that is not a JSON object. */
export type AttributeMessage =
  | { is: 'attribute'; device: string; attribute: string }
  /** Nothing to read: the JSON message says it, too, or the device is not one of those that are read. */
  | { is: 'nothing' }
  /** A device's message that should have been a JSON object. */
  | { is: 'rubbish' };

/** What the owner has set goes before what the bridge has said. */
export interface Publishing {
  output: Output | null;
  names: ReadonlySet<string>;
}

/** Puts together what is known of how a bridge publishes. */
export function publishingOf(
  set: { output?: Output; devices?: readonly string[] } | undefined,
  bridge: Bridge | undefined,
): Publishing {
  const output = set?.output ?? bridge?.output ?? null;
  return { output, names: new Set([...(set?.devices ?? []), ...(bridge?.devices.keys() ?? [])]) };
}

/**
 * Tells `{friendly name}/{attribute}` from the name of a device with a slash in it: an attribute never has one, so the
 * last word is it, where the words before are a device.
 */
export function attributeOf(name: string, { output, names }: Publishing): AttributeMessage {
  const cut = name.lastIndexOf('/');
  if (cut < 1 || names.has(name) || output === 'json') return { is: 'rubbish' };
  if (output === 'attribute_and_json') return { is: 'nothing' };
  const device = name.slice(0, cut);
  const known = names.has(device) || (output === 'attribute' && names.size === 0);
  if (known) return { is: 'attribute', device, attribute: name.slice(cut + 1) };
  return { is: output === 'attribute' ? 'nothing' : 'rubbish' };
}
