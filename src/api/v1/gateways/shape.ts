import { z } from 'zod';
import { textField, userIdField, zoneField } from '#src/api/fields.ts';
import { createdAtSchema, instantSchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import { DEVICE_MANAGERS } from '#src/database/enums.ts';
import { decoderConfigSchemas, findDecoderConfigErrors } from '#src/devices/decoder-config.ts';
import type { Gateway } from '#src/devices/gateways.ts';
import { getGatewayTopicPrefix } from '#src/devices/topics.ts';
import type { UnrecognisedMessages } from '#src/devices/unrecognised-messages.ts';
import { created_at, type Examples, gateway_id, user_id } from '../example-ids.ts';

/** Settings of the decoder for a gateway or device, such as units, pulses and time zone. Unknown members are accepted and stored. */
export const decoderConfigSchema = z
  .looseObject({
    ...z.object(decoderConfigSchemas).partial().shape,
    tz: zoneField.optional().describe(decoderConfigSchemas.tz.description ?? ''),
  })
  .refine((value) => JSON.stringify(value).length <= 65_536, 'at most 64 KiB')
  .superRefine((value, context) => {
    for (const { path, message } of findDecoderConfigErrors(value)) context.addIssue({ code: 'custom', path, message });
  })
  .describe('Decoder settings, for facts that devices do not report themselves. Unknown members are stored.');

export const storedDecoderConfigSchema = z
  .record(z.string(), z.unknown())
  .describe('Decoder settings, as they were given.');

const name = textField(100).describe('Name of the gateway, chosen by its owner.');

export const newGatewaySchema = z.strictObject({ user_id: userIdField.optional(), name });
export const gatewayPatchSchema = z.strictObject({ name, decoder_config: decoderConfigSchema }).partial();

export const gatewaySchema = z
  .strictObject({
    gateway_id: z.string().describe('Id of the gateway.'),
    user_id: userIdSchema,
    name: z.string().describe('Name of the gateway, chosen by its owner.'),
    decoder_config: storedDecoderConfigSchema,
    managed_by: z
      .enum(DEVICE_MANAGERS)
      .describe(
        '`utility` while the gateway serves a device that the utility manages: the owner can then change only the name (403). Otherwise `owner`.',
      ),
    created_at: createdAtSchema,
  })
  .meta({ id: 'Gateway' });
/** Response to creating a gateway. Only this response contains the password. */
export const createdGatewaySchema = gatewaySchema
  .extend({
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name.'),
        password: z.string().describe('MQTT password. It is not shown again.'),
        topic_prefix: z.string().describe('Prefix of all topics of the gateway.'),
      })
      .describe('MQTT credentials of the gateway.'),
  })
  .meta({ id: 'CreatedGateway' });

export const gatewayToResponse = (row: Gateway): z.output<typeof gatewaySchema> => pickMembers(gatewaySchema, row);

export const unrecognisedMessagesSchema = z
  .strictObject({
    shape: z
      .string()
      .describe(
        'Topic below the gateway’s prefix. `+` stands for the part that differs between devices, `#` for the rest of the topic. A single `#` stands for all other topics.',
      ),
    count: z.number().int().describe('Number of received messages.'),
    first_seen_at: instantSchema.describe('Time at which the first message was received.'),
    last_seen_at: instantSchema.describe('Time at which the last message was received.'),
    example: z
      .strictObject({
        topic: z.string().describe('Topic of the message, below the gateway’s prefix.'),
        payload: z.string().describe('Payload of the message; its first 4 KiB are stored.'),
        encoding: z.enum(['utf-8', 'base64']).describe('Encoding of `payload`: text, or base64 of binary data.'),
        payload_bytes: z.number().int().describe('Length of the whole payload, in bytes.'),
        received_at: instantSchema.describe('Time at which the message was received.'),
      })
      .nullable()
      .describe(
        'One of the messages, stored for 24 hours. Null: none is stored (for example, of radio messages from neighbours’ meters), or the key is limited to a group of homes.',
      ),
  })
  .meta({ id: 'UnreadMessages' });

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Matches control characters. A payload that contains one is shown in base64. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** Returns a payload as text if it is readable UTF-8, otherwise in base64. */
function shown(payload: Buffer): { payload: string; encoding: 'utf-8' | 'base64' } {
  try {
    const text = UTF8.decode(payload);
    if (!CONTROLS.test(text)) return { payload: text, encoding: 'utf-8' };
  } catch {
    // The payload is not valid UTF-8, so it is returned in base64.
  }
  return { payload: payload.toString('base64'), encoding: 'base64' };
}

/** Converts a gateway's unrecognised message to its form in responses. */
export const unrecognisedMessageToResponse = ({
  shape,
  messages,
  first_seen_at,
  last_seen_at,
  example,
}: UnrecognisedMessages): z.output<typeof unrecognisedMessagesSchema> => ({
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
 * Maximum size in bytes of a message to diagnose, because the diagnosis blocks the process for up to two seconds for each
 * megabyte.
 */
const MAX_ASKED_BYTES = 131_072;

/** A message to diagnose, in the form in which a device publishes it below a gateway's topic prefix. */
export const messageRequestSchema = z
  .strictObject({
    topic: z.string().min(1).max(1_000).describe('MQTT topic, with or without the prefix of the gateway.'),
    payload: z
      .string()
      .max(MAX_ASKED_BYTES)
      .optional()
      .describe('Payload, if it is text, up to 128 KiB. Exactly one of `payload` and `payload_b64` is required.'),
    payload_b64: z
      .string()
      .regex(z.core.regexes.base64, 'must be base64')
      .max(Math.ceil(MAX_ASKED_BYTES / 3) * 4)
      .optional()
      .meta({ contentEncoding: 'base64' })
      .describe('Payload in base64.'),
    retained: z
      .boolean()
      .optional()
      .describe(
        'Whether the message was retained: the broker stored it and delivered it at subscription. Readings without their own time are then skipped.',
      ),
    decoder_config: decoderConfigSchema
      .optional()
      .describe('Decoder settings for this message. Default: the settings of the gateway.'),
  })
  .refine(({ payload, payload_b64 }) => (payload === undefined) !== (payload_b64 === undefined), {
    message: 'must have one of payload and payload_b64',
    path: ['payload'],
  });

const value = z.union([z.number(), z.boolean()]).describe('The value, in the unit given by `kind`.');
const native = z.string().describe('Id of the device in the message.');

/** The service's diagnosis of a message that the client has sent. */
export const messageInterpretationSchema = z
  .strictObject({
    outcome: z
      .enum(['read', 'asked', 'refused', 'nothing', 'nobody'])
      .describe(
        '`read`: at least one reading counts. `asked`: nothing counts until the owner sets the meaning of a quantity. `refused`: a family recognises the message, but cannot use it. `nothing`: a family recognises the message, which contains no readings. `nobody`: no family recognises the message.',
      ),
    topic: z.string().describe('The topic without the prefix of the gateway.'),
    family: z.string().nullable().describe('Device family that decodes the message. Null: none.'),
    readings: z
      .array(
        z.strictObject({
          device: native,
          channel: z.string().describe('Channel of the reading, such as `import`, `export/t1`, `gas/m3` or `room`.'),
          kind: z
            .string()
            .describe('Quantity with its unit, such as `energy_total_kwh`, `power_w` or `temperature_c`.'),
          value,
          ts: z
            .string()
            .nullable()
            .describe('Time stamp in the message. `null`: none, so the time of receipt is used.'),
        }),
      )
      .describe('Decoded readings.'),
    asks: z
      .array(
        z.strictObject({
          device: native,
          native_name: z.string().describe('The device’s own name of the quantity.'),
          unit: z.string().nullable().describe('Unit of the quantity. `null`: the message does not contain it.'),
          value,
        }),
      )
      .describe('Quantities that do not count until the owner sets their meaning.'),
    refused: z.array(z.string()).describe('Reasons why the message, or a part of it, cannot be used.'),
    left_out: z.number().int().describe('Number of readings that were skipped, because the message was retained.'),
    would: z
      .array(
        z.strictObject({
          family: z.string().describe('Device family that would decode more of the message.'),
          decoder_config: storedDecoderConfigSchema.describe(
            'Decoder settings to add. A zone, a unit or a number in them is an example.',
          ),
        }),
      )
      .describe('Settings that would help.'),
    members: z
      .array(
        z.strictObject({
          path: z.string().nullable().describe('JSONPath of the value. `null`: the payload is a plain number.'),
          value: z.union([z.number(), z.string()]).describe('Value at this path.'),
          may_be_time: z.boolean().describe('Whether the value can be the time of the message.'),
          proposed: z
            .strictObject({
              unit: z.string().describe('Value for `unit` of a `mapping`.'),
              meaning: z.string().describe('Value for `meaning` of a `mapping`.'),
            })
            .nullable()
            .describe('Proposed meaning, from the unit in the name. `null`: the name contains no unit.'),
        }),
      )
      .describe('Values in the payload that a `mapping` of the `decoder_config` can use.'),
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
      mqtt: { username: gateway_id, password: '(shown once)', topic_prefix: getGatewayTopicPrefix(gateway_id) },
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
