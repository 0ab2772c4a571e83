import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { describeMessage, type OwnerQuestionForDisplay, type ReadingForDisplay } from '#ingest/decoders/describe.ts';
import { diagnoseMessage, type MessageDiagnosis } from '#ingest/decoders/diagnose.ts';
import { type AnnouncedDevice, parseDecoderSettings } from '#ingest/decoders/family.ts';
import { createGatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';
import { MAX_DECODED_PAYLOAD_BYTES } from '#ingest/decoders/read/payload.ts';
import { decoderConfigSchema } from '#src/api/v1/gateways/shape.ts';
import { listFieldErrors } from '#src/api/validation-errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';
import { parseZone } from './option-values.ts';

const payload = { payload: z.string().optional(), payload_b64: z.base64().optional() };
const onePayload = (message: { payload?: string | undefined; payload_b64?: string | undefined }) =>
  (message.payload === undefined) !== (message.payload_b64 === undefined);

/** One line of input. Unknown members are ignored. */
const line = z
  .object({
    n: z.number().int().optional(),
    topic: z.string(),
    ...payload,
    retain: z.boolean().optional(),
    replayed: z.boolean().optional(),
    received_at: z.iso.datetime({ offset: true }),
    tz: z.string().optional(),
    config: z.record(z.string(), z.unknown()).optional(),
    prior: z
      .array(z.object({ topic: z.string(), ...payload, retain: z.boolean().optional() }).refine(onePayload))
      .optional(),
  })
  .refine(onePayload, 'must have one of payload and payload_b64');
type Line = z.infer<typeof line>;

const FORM =
  '{"n": 0, "topic": "tele/plug/SENSOR", "payload": "…" or "payload_b64": "…", "received_at": "2026-07-05T19:00:01Z"}';

const FORMS =
  'Pass one message with --topic TOPIC --payload TEXT, or many as JSON lines on standard input. With --json, the output is JSON as well.';

/** The JSON object that `energy decode --json` prints for each line of input. */
interface Answer {
  n: number | null;
  readings: ReadingForDisplay[];
  /** Channels (measured quantities) that do not contribute to totals until the owner has classified them. */
  asks?: OwnerQuestionForDisplay[];
  rejected: { reason: string }[];
}

interface Options extends Partial<DecodeInput> {
  json?: boolean;
}

/** Registers `energy decode`, which prints the readings that the service would read from a message. */
export function registerCommands(program: Command): void {
  program
    .command('decode')
    .option('--json', 'print one JSON object per line')
    .option('--topic <topic>', 'topic of one message, as on the device’s own broker')
    .option('--payload <text>', 'payload of the message')
    .option('--config <json>', 'decoder_config for the message', parseDecoderConfig)
    .option('--retain', 'the message was retained by the broker: readings without their own time are skipped')
    .option('--tz <zone>', 'time zone of devices that report local time', parseZone)
    .addHelpText(
      'after',
      `
One message: energy decode --topic tele/plug/SENSOR --payload '{"ENERGY": {"Total": 301.004}}'

Otherwise each line of standard input: ${FORM}
with the optional fields "tz", "config" (a decoder_config), "replayed", and "prior" (earlier messages).`,
    )
    // Excess arguments are allowed here, because the error below explains how to pass a message; commander's error "too many arguments"
    // does not.
    .allowExcessArguments()
    .action(async ({ topic, payload, ...options }: Options, command: Command) => {
      if (command.args.length > 0)
        command.error(`"${escapeLineForTerminal(command.args[0] ?? '')}" is not a valid argument. ${FORMS}`);
      if (topic !== undefined || payload !== undefined) {
        if (topic === undefined || payload === undefined)
          command.error('--topic and --payload decode one message. Pass both, or neither to read JSON lines.');
        const message = { topic, payload, ...options };
        console.log(options.json ? decodeToJson(message, Date.now()) : describeDecoding(message, Date.now()));
        return;
      }
      if (options.config || options.retain || options.tz !== undefined)
        command.error(
          '--config, --retain and --tz apply to one message (--topic and --payload). In JSON lines, use the fields config, retain and tz.',
        );
      if (process.stdin.isTTY) console.error('Waiting for JSON lines on standard input; end them with Ctrl-D.');
      for await (const text of linesOf(process.stdin)) {
        if (text?.trim() === '') continue;
        const { answer, family } = text === null ? { answer: TOO_LONG, family: null } : answerTo(text);
        console.log(options.json ? JSON.stringify(answer) : forPeople(answer, family));
      }
    });
}

/** Maximum number of bytes in a line. In JSON, a payload can be up to six times as long as its bytes (`\u0000`). */
const MAX_LINE_BYTES = 8 * MAX_DECODED_PAYLOAD_BYTES;

/** Yields the lines of a stream. Yields null instead of a line longer than MAX_LINE_BYTES, which could fill the memory. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) parts = [];
    else parts.push(part);
  };
  const take = () => {
    const line = bytes > MAX_LINE_BYTES ? null : Buffer.concat(parts).toString().replace(/\r$/, '');
    [parts, bytes] = [[], 0];
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  yield take();
}

function answerTo(text: string): { answer: Answer; family: string | null } {
  let parsedJson: unknown;
  try {
    parsedJson = JSON.parse(text);
  } catch {
    return { answer: refused(null, `Invalid line: not JSON. Expected: ${FORM}`), family: null };
  }
  const parsed = line.safeParse(parsedJson, { error: describeValidationIssue });
  const n = z.object({ n: z.number() }).safeParse(parsedJson).data?.n ?? null;
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the line'} ${message}`);
    return { answer: refused(n, `Invalid line: ${mistakes.join(', ')}. Expected: ${FORM}`), family: null };
  }
  return decodeLine(parsed.data);
}

function decodeLine(given: Line): { answer: Answer; family: string | null } {
  const { n = null, topic, received_at, tz, config, replayed = false, prior = [] } = given;
  const message = { topic, payload: bytesOf(given), receivedAtMs: Date.parse(received_at), replayed };
  const before = prior.map((one) => ({ topic: one.topic, payload: bytesOf(one) }));
  const read = describeMessage(message, parseDecoderSettings({ ...config, ...omitUndefined({ tz }) }), before);
  const rejected = (read?.refused ?? []).map((reason) => ({ reason }));
  return {
    answer: {
      n,
      readings: read?.readings ?? [],
      ...(read && read.asks.length > 0 ? { asks: read.asks } : {}),
      rejected,
    },
    family: read?.family ?? null,
  };
}

const refused = (n: number | null, reason: string): Answer => ({ n, readings: [], rejected: [{ reason }] });

const TOO_LONG = refused(null, `Invalid line: longer than ${MAX_LINE_BYTES / MAX_DECODED_PAYLOAD_BYTES} MiB`);

const bytesOf = ({ payload, payload_b64 }: Pick<Line, 'payload' | 'payload_b64'>): Buffer =>
  payload_b64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(payload_b64, 'base64');

/** Formats a decoded line for a terminal. Control characters in a device's text are escaped. */
function forPeople({ n, readings, asks = [], rejected }: Answer, family: string | null): string {
  const head =
    family === null && rejected.length === 0 ? 'not recognised: no device family uses this topic' : (family ?? '');
  const refused = rejected.map(({ reason }) => reason);
  const lines = [`${n ?? ''} ${head}`.trim(), ...linesOfReadings({ readings, asks, refused })];
  if (head === family && lines.length === 1) lines.push('  contains no readings');
  return lines.map(escapeLineForTerminal).join('\n');
}

/** Formats readings, channels that do not contribute to totals yet, and reasons for rejections as lines of text. */
const linesOfReadings = ({ readings, asks, refused }: Pick<MessageDiagnosis, 'readings' | 'asks' | 'refused'>) => [
  ...readings.map(
    ({ device, channel, kind, value, ts }) =>
      `  ${device}  ${channel}  ${kind} ${value}  ${ts ?? 'at the time of receipt'}`,
  ),
  ...asks.map(
    ({ device, native_name, unit, value }) =>
      `  ${device}  ${native_name}  ${value}${unit === null ? '' : ` ${unit}`}  not counted: choose what it measures`,
  ),
  ...refused.map((reason) => `  rejected: ${reason}`),
];

/** A message to decode, from the options of `energy decode`. */
interface DecodeInput {
  topic: string;
  payload: string;
  config?: Record<string, unknown>;
  /** Whether the broker retained the message. The age of a retained message is unknown. */
  retain?: boolean;
  tz?: string;
}

/** Maximum number of numeric members of a message that are printed. */
const MAX_SHOWN = 20;

/** Parses a `decoder_config` typed on the command line and validates it as the HTTP API does. Throws `InvalidArgumentError`. */
export function parseDecoderConfig(text: string): Record<string, unknown> {
  let parsedConfig: unknown;
  try {
    parsedConfig = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Must be JSON, such as {"senml": {"topics": ["senml/#"]}}.');
  }
  const read = decoderConfigSchema.safeParse(parsedConfig, { error: describeValidationIssue });
  if (read.success) return read.data;
  const mistakes = listFieldErrors(read.error, 'it', String).map(({ field, message }) => `${field}: ${message}`);
  throw new InvalidArgumentError(mistakes.map(escapeLineForTerminal).join('; '));
}

/** Returns the JSON object that `energy decode` prints for a message. `receivedAtMs`: assumed time of receipt. */
function decodeToJson({ retain, ...message }: DecodeInput, receivedAtMs: number): string {
  const line = { ...message, received_at: new Date(receivedAtMs).toISOString(), replayed: retain };
  return JSON.stringify(decodeLine(line).answer);
}

/** Describes in words how the service decodes a message. `receivedAtMs`: assumed time of receipt. */
export function describeDecoding(
  { topic, payload, config, retain = false, tz }: DecodeInput,
  receivedAtMs: number,
): string {
  const message = { topic, payload: Buffer.from(payload), receivedAtMs, replayed: retain };
  const settings = parseDecoderSettings({ ...config, ...omitUndefined({ tz }) });
  const decoders = createGatewayDecoders();
  const judgement = diagnoseMessage(message, settings, decoders);
  const announced = decoders.read({ ...message, topic: judgement.topic }, settings)?.announced;
  return [...linesOfJudgement(judgement), ...linesOfAnnouncement(announced)].map(escapeLineForTerminal).join('\n');
}

/** Describes the device that a message announces, and the topics that an MQTT bridge must forward for its values. */
const linesOfAnnouncement = (announced: AnnouncedDevice | undefined): string[] =>
  announced
    ? [
        `It announces ${announced.device}, which has no value yet. A bridge must have its topics: ${announced.topics.join(', ')}`,
      ]
    : [];

const HEADS: Record<MessageDiagnosis['outcome'], (judgement: MessageDiagnosis) => string> = {
  read: ({ family }) => `Decoded by the family ${family}:`,
  asked: ({ family }) => `Recognised by the family ${family}. Not counted until you choose what it measures:`,
  refused: ({ family }) => `Recognised by the family ${family}, but cannot be used:`,
  nothing: ({ family }) => `Recognised by the family ${family}. The message contains no readings.`,
  nobody: ({ topic }) => `Not recognised: no device family uses this topic with this payload (${topic}).`,
};

function linesOfJudgement(judgement: MessageDiagnosis): string[] {
  const { outcome, left_out, would, members } = judgement;
  const lines = [HEADS[outcome](judgement), ...linesOfReadings(judgement)];
  if (left_out > 0) lines.push(`  skipped: ${left_out}. The message was retained by the broker, and contains no time.`);
  for (const { family, decoder_config } of would)
    lines.push(`With this decoder_config ${family} reads more of it: ${JSON.stringify(decoder_config)}`);
  if (outcome === 'nobody') lines.push(...whatToDo(judgement, members));
  return lines;
}

/** Lists the steps that an owner can take if no decoder recognises the message. */
function whatToDo({ topic }: MessageDiagnosis, members: MessageDiagnosis['members']): string[] {
  if (members.length === 0)
    return [
      'The message contains no number that a mapping could use. This command does not know units and names that were announced in earlier messages (Home Assistant, Homie, Sparkplug).',
    ];
  const [first] = members.filter(({ proposed }) => proposed !== null);
  const entry = first && { topic, ...(first.path ? { path: first.path } : {}), ...first.proposed };
  return [
    'The message contains these numbers, which a decoder_config.mapping can use (deploy/DEVICES.md):',
    ...members.slice(0, MAX_SHOWN).map(({ path, value }) => `  ${path ?? 'the payload'}  ${value}`),
    ...(members.length > MAX_SHOWN ? [`  and ${members.length - MAX_SHOWN} more`] : []),
    ...(entry ? [`For example: --config '${JSON.stringify({ mapping: [entry] })}'`] : []),
  ];
}
