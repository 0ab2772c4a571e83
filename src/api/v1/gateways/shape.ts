import { z } from 'zod';
import { textField, userIdField, zoneField } from '#src/api/fields.ts';
import { createdAt, instantShape, userId } from '#src/api/shapes.ts';
import { MANAGERS } from '#src/database/enums.ts';
import { decoderConfigSchemas, findUnstorableMembers } from '#src/devices/decoder-config.ts';
import type { Gateway } from '#src/devices/gateways.ts';
import { gatewayPrefix } from '#src/devices/topics.ts';
import type { UnrecognisedMessages } from '#src/devices/unrecognised-messages.ts';
import { created_at, type Examples, gateway_id, user_id } from '../example-ids.ts';

/** Settings of a decoder for a gateway or a device: units, pulses, zone. Unknown members are stored. */
export const decoderConfig = z
  .looseObject({
    ...z.object(decoderConfigSchemas).partial().shape,
    tz: zoneField.optional().describe(decoderConfigSchemas.tz.description ?? ''),
  })
  .refine((value) => JSON.stringify(value).length <= 65_536, 'at most 64 KiB')
  .superRefine((value, context) => {
    for (const { path, message } of findUnstorableMembers(value)) context.addIssue({ code: 'custom', path, message });
  })
  .describe('Settings for the decoders, for what devices do not report themselves. Unknown members are kept.');

export const keptDecoderConfig = z
  .record(z.string(), z.unknown())
  .describe('Settings for the decoders, as they were given.');

const name = textField(100).describe('What its owner calls the gateway.');

export const newGateway = z.strictObject({ user_id: userIdField.optional(), name });
export const gatewayPatch = z.strictObject({ name, decoder_config: decoderConfig }).partial();

export const gateway = z
  .strictObject({
    gateway_id: z.string().describe('Id of the gateway.'),
    user_id: userId,
    name: z.string().describe('What its owner calls the gateway.'),
    decoder_config: keptDecoderConfig,
    managed_by: z
      .enum(MANAGERS)
      .describe(
        '`utility` while a device that the utility manages comes through it: its owner then changes the name alone (403). Otherwise `owner`.',
      ),
    created_at: createdAt,
  })
  .meta({ id: 'Gateway' });
/** The password is only returned once. */
export const createdGateway = gateway
  .extend({
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name.'),
        password: z.string().describe('MQTT password. It is not shown again.'),
        topic_prefix: z.string().describe('What the topics of the gateway must begin with.'),
      })
      .describe('How the gateway signs in to the broker.'),
  })
  .meta({ id: 'CreatedGateway' });

/** Converts a gateway for a response. */
export const toWire = (row: Gateway): z.output<typeof gateway> => ({
  gateway_id: row.gateway_id,
  user_id: row.user_id,
  name: row.name,
  decoder_config: row.decoder_config,
  managed_by: row.managed_by,
  created_at: row.created_at.toISOString(),
});

export const unread = z
  .strictObject({
    shape: z
      .string()
      .describe(
        "Topic below the gateway's prefix, where `+` stands for what tells one device from others, and `#` for what follows. `#` alone: of all further shapes.",
      ),
    count: z.number().int().describe('How many messages, since the first.'),
    first_seen_at: instantShape.describe('When the first of them was received.'),
    last_seen_at: instantShape.describe('When the last of them was received.'),
    example: z
      .strictObject({
        topic: z.string().describe("Its topic, below the gateway's prefix."),
        payload: z.string().describe('Its payload, of which the first 4 KiB are kept.'),
        encoding: z.enum(['utf-8', 'base64']).describe('What `payload` is: the text, or bytes that are none.'),
        payload_bytes: z.number().int().describe('How long the whole payload was, in bytes.'),
        received_at: instantShape.describe('When it was received.'),
      })
      .nullable()
      .describe(
        'One of them, kept for 24 hours. Null: none is kept, as of what receivers hear of neighbours by radio; or the key is limited to a group of homes.',
      ),
  })
  .meta({ id: 'UnreadMessages' });

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Control characters that no text contains. JSON could carry them, but no terminal shows them. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** Returns a payload as text if it is text, else as base64. */
function shown(payload: Buffer): { payload: string; encoding: 'utf-8' | 'base64' } {
  try {
    const text = UTF8.decode(payload);
    if (!CONTROLS.test(text)) return { payload: text, encoding: 'utf-8' };
  } catch {
    // The payload is binary.
  }
  return { payload: payload.toString('base64'), encoding: 'base64' };
}

/** Converts an unread message of a gateway for a response. */
export const unreadToWire = ({
  shape,
  messages,
  first_seen_at,
  last_seen_at,
  example,
}: UnrecognisedMessages): z.output<typeof unread> => ({
  shape,
  count: messages,
  first_seen_at: first_seen_at.toISOString(),
  last_seen_at: last_seen_at.toISOString(),
  example: example && {
    topic: example.topic,
    ...shown(example.payload),
    payload_bytes: example.bytes,
    received_at: example.receivedAt.toISOString(),
  },
});
/**
 * Maximum size of a message to evaluate, in bytes. All other work of the process waits meanwhile: two seconds for a megabyte of packed
 * values.
 */
const MAX_ASKED_BYTES = 131_072;

/** A message to evaluate, as published below a gateway. */
export const askedMessage = z
  .strictObject({
    topic: z.string().min(1).max(1_000).describe('MQTT topic, with or without the prefix of the gateway.'),
    payload: z
      .string()
      .max(MAX_ASKED_BYTES)
      .optional()
      .describe('The payload, where it is text, up to 128 KiB. One of this and `payload_b64`.'),
    payload_b64: z
      .string()
      .regex(z.core.regexes.base64, 'must be base64')
      .max(Math.ceil(MAX_ASKED_BYTES / 3) * 4)
      .optional()
      .meta({ contentEncoding: 'base64' })
      .describe('The payload in base64.'),
    retained: z
      .boolean()
      .optional()
      .describe('The broker had kept it, and delivered it at subscription: what has no time of its own is left out.'),
    decoder_config: decoderConfig.optional().describe('Settings to read it with. Default: those of the gateway.'),
  })
  .refine(({ payload, payload_b64 }) => (payload === undefined) !== (payload_b64 === undefined), {
    message: 'must have one of payload and payload_b64',
    path: ['payload'],
  });

const value = z.union([z.number(), z.boolean()]).describe('In the unit that the kind names.');
const native = z.string().describe('Id of the device, as the message has it.');

/** The service's interpretation of a message. */
export const judgedMessage = z
  .strictObject({
    outcome: z
      .enum(['read', 'asked', 'refused', 'nothing', 'nobody'])
      .describe(
        '`read`: something counts. `asked`: nothing counts until its owner says what it is. `refused`: a family knows it, and cannot use it. `nothing`: a family knows it, and it is of no interest. `nobody`: no family knows it.',
      ),
    topic: z.string().describe('The topic without the prefix of the gateway.'),
    family: z.string().nullable().describe('Family of devices that reads it.'),
    readings: z
      .array(
        z.strictObject({
          device: native,
          channel: z.string().describe('What it is of: `import`, `export/t1`, `gas/m3`, `room`.'),
          kind: z.string().describe('What it is, with its unit: `energy_total_kwh`, `power_w`, `temperature_c`.'),
          value,
          ts: z.string().nullable().describe('Time that the message has. `null`: that of its receipt.'),
        }),
      )
      .describe('What is read.'),
    asks: z
      .array(
        z.strictObject({
          device: native,
          native_name: z.string().describe('How the device calls it.'),
          unit: z.string().nullable().describe('Its unit, where the message says it.'),
          value,
        }),
      )
      .describe('What counts for nothing until its owner says what it is.'),
    refused: z.array(z.string()).describe('Why the message, or a part of it, cannot be used.'),
    left_out: z.number().int().describe('Readings that are left out, since the broker had kept the message.'),
    would: z
      .array(
        z.strictObject({
          family: z.string().describe('Family of devices that would read more of it.'),
          decoder_config: keptDecoderConfig.describe('The setting. A zone, a unit or a number in it is an example.'),
        }),
      )
      .describe('Which setting would help.'),
    members: z
      .array(
        z.strictObject({
          path: z.string().nullable().describe('JSONPath of the place. `null`: the payload is a plain number.'),
          value: z.union([z.number(), z.string()]).describe('What is there.'),
          may_be_time: z.boolean().describe('Whether it can be the time of the message.'),
          proposed: z
            .strictObject({
              unit: z.string().describe('As `unit` of a `mapping`.'),
              meaning: z.string().describe('As `meaning` of a `mapping`.'),
            })
            .nullable()
            .describe('What it may be, by the unit in its name. `null`: nothing says so.'),
        }),
      )
      .describe('Places that a `mapping` of the `decoder_config` can name.'),
  })
  .meta({ id: 'JudgedMessage' });

const exampleGateway = {
  gateway_id,
  user_id,
  name: 'home',
  decoder_config: {},
  managed_by: 'owner' as const,
  created_at,
};

export const GATEWAY_EXAMPLES = {
  createGateway: {
    body: { name: 'home' },
    answer: {
      ...exampleGateway,
      mqtt: { username: gateway_id, password: '(shown once)', topic_prefix: gatewayPrefix(gateway_id) },
    },
  },
  listGateways: { answer: [exampleGateway] },
  updateGateway: { body: { name: 'holiday home' }, answer: { ...exampleGateway, name: 'holiday home' } },
  unreadMessages: {
    answer: [
      {
        shape: 'solar/+/live',
        count: 4711,
        first_seen_at: created_at,
        last_seen_at: created_at,
        example: {
          topic: 'solar/1234567890/live',
          payload: '{"pac":1520,"etotal":8341.2}',
          encoding: 'utf-8',
          payload_bytes: 28,
          received_at: created_at,
        },
      },
    ],
  },
  decodeMessage: {
    body: { topic: 'tele/plug/SENSOR', payload: '{"ENERGY": {"Total": 301.004}}' },
    answer: {
      outcome: 'read',
      topic: 'tele/plug/SENSOR',
      family: 'tasmota',
      readings: [{ device: 'plug', channel: 'import', kind: 'energy_total_kwh', value: 301.004, ts: null }],
      asks: [],
      refused: [],
      left_out: 0,
      would: [],
      members: [{ path: '$.ENERGY.Total', value: 301.004, may_be_time: false, proposed: null }],
    },
  },
  deleteGateway: { answer: { message: `Gateway ${gateway_id} was deleted` } },
} satisfies Examples;
