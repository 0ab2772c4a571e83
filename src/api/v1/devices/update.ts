import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateDevice as update } from '#src/devices/store.ts';
import { decoderConfig, deviceSettings } from './settings.ts';

const body = z
  .strictObject({
    ...deviceSettings,
    register_max_kwh: deviceSettings.register_max_kwh.nullable(),
    timezone: deviceSettings.timezone.nullable(),
    decoder_config: decoderConfig,
  })
  .partial();

export const updateDevice = operation({
  summary: 'Changes a device. Limits hold for its past, too: the next message computes it anew.',
  method: 'PATCH',
  path: '/v1/devices/{device_id}',
  scope: 'devices:write',
  answer: shapes.deviceDetails,
  params: z.object({ device_id: id }),
  body,
  async handle({ context, caller, params, body: patch }) {
    const { type, location, limit_kw, register_max_kwh, max_gap_minutes, timezone, decoder_config } = patch;
    return orNotFound(
      await update(context.db, reachOf(caller), holdable(params.device_id), {
        ...(type === undefined ? {} : { type }),
        ...(location === undefined ? {} : { location }),
        ...(limit_kw === undefined ? {} : { limitKw: limit_kw }),
        ...(register_max_kwh === undefined ? {} : { registerMaxKwh: register_max_kwh }),
        ...(max_gap_minutes === undefined ? {} : { maxGapMinutes: max_gap_minutes }),
        ...(timezone === undefined ? {} : { timezone }),
        ...(decoder_config === undefined ? {} : { decoderConfig: decoder_config }),
      }),
    );
  },
});
