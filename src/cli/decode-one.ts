import { InvalidArgumentError } from 'commander';
import { readSettings } from '#ingest/decoders/family.ts';
import { type Judgement, judge } from '#ingest/decoders/judge.ts';
import { decoderConfig } from '#src/api/v1/gateways/shape.ts';
import { validationErrors } from '#src/api/validation-errors.ts';
import { forTerminal } from '#src/core/for-terminal.ts';
import { words } from '#src/core/mistake-words.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/** One message, as the options of `energy decode` give it. */
export interface Given {
  topic: string;
  payload: string;
  config?: Record<string, unknown>;
  /** The broker had kept it: of unknown age. */
  retain?: boolean;
  tz?: string;
}

/** Most numbers of a message that are shown. */
const MAX_SHOWN = 20;

/** A `decoder_config` as it is typed, held to what the interface takes. Throws `InvalidArgumentError`. */
export function readConfig(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Must be JSON, such as {"senml": {"topics": ["senml/#"]}}.');
  }
  const read = decoderConfig.safeParse(given, { error: words });
  if (read.success) return read.data;
  const mistakes = validationErrors(read.error, 'it', String).map(({ field, message }) => `${field}: ${message}`);
  throw new InvalidArgumentError(mistakes.map(forTerminal).join('; '));
}

/** What the service makes of one message, in lines for people. `receivedAtMs`: when it would be received. */
export function tellOne({ topic, payload, config, retain = false, tz }: Given, receivedAtMs: number): string {
  const message = { topic, payload: Buffer.from(payload), receivedAtMs, replayed: retain };
  return linesOf(judge(message, readSettings({ ...config, ...omitUndefined({ tz }) })))
    .map(forTerminal)
    .join('\n');
}

const HEADS: Record<Judgement['outcome'], (judgement: Judgement) => string> = {
  read: ({ family }) => `Read, by the family ${family}:`,
  asked: ({ family }) => `Of the family ${family}. Nothing of it counts until you say what it is:`,
  refused: ({ family }) => `Of the family ${family}, and cannot be used:`,
  nothing: ({ family }) => `Of the family ${family}. It says nothing that is counted.`,
  nobody: ({ topic }) => `Nobody’s message: no family knows this topic with this payload (${topic}).`,
};

function linesOf(judgement: Judgement): string[] {
  const { outcome, readings, asks, refused, left_out, would, members } = judgement;
  const lines = [HEADS[outcome](judgement)];
  for (const { device, channel, kind, value, ts } of readings)
    lines.push(`  ${device}  ${channel}  ${kind} ${value}  ${ts ?? 'at its receipt'}`);
  for (const { device, native_name, unit, value } of asks)
    lines.push(
      `  ${device}  ${native_name}  ${value}${unit === null ? '' : ` ${unit}`}  counts when you say what it is`,
    );
  for (const reason of refused) lines.push(`  refused: ${reason}`);
  if (left_out > 0)
    lines.push(`  left out: ${left_out}. The broker had kept the message, and it does not say how old it is.`);
  for (const { family, decoder_config } of would)
    lines.push(`With this decoder_config ${family} reads more of it: ${JSON.stringify(decoder_config)}`);
  if (outcome === 'nobody') lines.push(...whatToDo(judgement, members));
  return lines;
}

/** What its owner can do with a message that is nobody's. */
function whatToDo({ topic }: Judgement, members: Judgement['members']): string[] {
  if (members.length === 0)
    return [
      'It has no number that could be mapped. Units and names that were announced before it (Home Assistant, Homie, Sparkplug) are not known here.',
    ];
  const [first] = members.filter(({ proposed }) => proposed !== null);
  const entry = first && { topic, ...(first.path ? { path: first.path } : {}), ...first.proposed };
  return [
    'Its numbers, which a decoder_config.mapping can name (deploy/DEVICES.md):',
    ...members.slice(0, MAX_SHOWN).map(({ path, value }) => `  ${path ?? 'the payload'}  ${value}`),
    ...(members.length > MAX_SHOWN ? [`  and ${members.length - MAX_SHOWN} more`] : []),
    ...(entry ? [`For example: --config '${JSON.stringify({ mapping: [entry] })}'`] : []),
  ];
}
