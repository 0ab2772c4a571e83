import { z } from 'zod';
import { SenmlPack } from '#src/api/bodies.ts';
import { defineOperation } from '#src/api/operation.ts';
import { MAX_VALIDATION_ERRORS } from '#src/api/validation-errors.ts';
import { getAccessibleAccounts, requireReadingsWriteAccess } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findHttpsReadingsDevice } from '#src/devices/management.ts';

const MAX_BODY_BYTES = 4 * 2 ** 20;

const quantity = (description: string) => ({ type: 'number', description });

/** One element of the native payload. This schema only documents elements. Ingest validates each element separately. */
const element = z
  .unknown()
  .refine((value) => value !== undefined)
  .meta({
    id: 'SentReading',
    type: 'object',
    required: ['ts'],
    properties: {
      ts: {
        type: ['string', 'number'],
        description:
          'Time of the measurement: ISO 8601 with a zone, Unix seconds or Unix milliseconds. For an interval: its end.',
      },
      energy_total_kwh: quantity('Value of the register, in kWh.'),
      energy_kwh: quantity('Energy of an interval, in kWh. Needs `interval_s`.'),
      interval_s: quantity('Length of the interval, in seconds.'),
      power_w: quantity('Power, in watts.'),
      channel: { type: 'string', description: 'Measured circuit or direction. Default: `import`.' },
      temperature_c: quantity('Temperature, in °C.'),
      setpoint_c: quantity('Set temperature, in °C.'),
      heating: { type: 'boolean', description: 'Whether the thermostat is heating.' },
      humidity_percent: quantity('Relative humidity, in percent.'),
    },
  });

const sentReadings = z
  .strictObject({
    stored: z.number().int().describe('Number of readings that were stored: one for each quantity of an element.'),
    duplicates: z.number().int().describe('Number of readings that had been stored before.'),
    rejected: z
      .array(
        z.strictObject({
          index: z.number().int().describe('Zero-based position of the element in the body.'),
          reason: z.string().describe('Reason why the element, or one of its quantities, was not stored.'),
        }),
      )
      .describe('Elements that were not stored.'),
  })
  .meta({ id: 'SentReadings' });

export const sendReadings = defineOperation('POST /v1/devices/{device_id}/readings', {
  summary:
    'Stores readings of a device that uses the native format: up to 10,000 elements as JSON, or a SenML pack. The response is sent after the commit. Readings that are also sent by MQTT, or sent twice, count once.',
  scope: 'readings:write',
  // The readings of several requests are committed together, so this operation has no transaction of its own.
  changes: 'piece by piece',
  answer: sentReadings,
  body: z.union([z.array(element), element]),
  senmlBody: true,
  bodyLimitBytes: MAX_BODY_BYTES,
  async handle({ context, db, caller, params, body, bodyBytes, allowedIn }) {
    const deviceId = params.device_id;
    await checkTarget(db, caller, deviceId);
    const sender = {
      id: `${caller.keyId} ${caller.memberId} ${caller.address}`,
      confirm: async (trx: Database) => checkTarget(trx, await allowedIn(trx), deviceId),
    };
    const { sentReadings: port } = context;
    if (!port) throw new AppError('unavailable');
    const sent =
      body instanceof SenmlPack
        ? ({ format: 'senml', body: body.records } as const)
        : ({ format: 'native', body } as const);
    const { stored, duplicates, rejections } = await port.write({ deviceId, bytes: bodyBytes, sender, ...sent });
    if (stored + duplicates === 0) {
      const details = rejections.slice(0, MAX_VALIDATION_ERRORS);
      throw createUnprocessableError(
        ...details.map((one) => ({ field: String(one.element ?? 'body'), message: one.reason })),
      );
    }
    return { stored, duplicates, rejected: byElement(rejections) };
  },
});

/**
 * Throws 404 if the caller cannot access the device, 403 if the caller may not write its readings, and 409 if it does not use the
 * native format.
 */
async function checkTarget(db: Database, caller: Caller, deviceId: string): Promise<void> {
  if (caller.device && caller.device.id !== deviceId) throw new AppError('notFound');
  const { managed_by, is_native } = requireFound(
    await findHttpsReadingsDevice(db, getAccessibleAccounts(caller), deviceId),
  );
  requireReadingsWriteAccess(caller, managed_by);
  if (!is_native) throw new AppError('notNative');
}

/** Returns the reasons for rejections, sorted by the element's position, without duplicates. */
function byElement(
  rejections: readonly { element: number | null; reason: string }[],
): z.output<typeof sentReadings>['rejected'] {
  const all = new Map<string, { index: number; reason: string }>();
  for (const { element: index, reason } of rejections)
    if (index !== null) all.set(`${index} ${reason}`, { index, reason });
  return [...all.values()].sort((a, b) => a.index - b.index);
}
