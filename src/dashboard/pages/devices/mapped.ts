import type { Gateway } from '#clients/typescript/client.ts';
import { call, Failure, list, withQuery } from '../../api.ts';
import { words } from '../../words/words.ts';

/** An entry of `decoder_config.mapping`; the service says what is wrong with one. */
export interface Mapped {
  topic: string;
  device?: string;
  path?: string;
  unit: string;
  scale?: number;
  meaning: string;
  circuit?: string;
  time_path?: string;
}

const ENERGY = ['kWh', 'Wh', 'MWh', 'MJ', 'GJ'];
const POWER = ['W', 'kW'];
const VOLUME = ['m3', 'l'];
const DEGREES = ['C', 'F'];

/** What a number can be said to be, and in which units that is, the usual one first. */
export const UNITS: Readonly<Record<string, readonly string[]>> = {
  import: [...ENERGY, ...POWER],
  export: [...ENERGY, ...POWER],
  power: POWER,
  production: [...ENERGY, ...POWER],
  'import/t1': ENERGY,
  'import/t2': ENERGY,
  'export/t1': ENERGY,
  'export/t2': ENERGY,
  'import/l1': [...ENERGY, ...POWER],
  'import/l2': [...ENERGY, ...POWER],
  'import/l3': [...ENERGY, ...POWER],
  gas: [...VOLUME, ...ENERGY],
  heat: [...ENERGY, ...VOLUME],
  water: VOLUME,
  temperature: DEGREES,
  setpoint: DEGREES,
};

/** A meaning as people say it. */
export function meaningName(meaning: string): string {
  const { devices, messages } = words();
  const { temperature, setpoint } = devices.climate;
  const names: Record<string, string> = { ...devices.channels.meanings, ...messages.meanings, temperature, setpoint };
  return names[meaning] ?? meaning;
}

/** What a gateway's owner has mapped so far; nothing where the member is no list. */
export const mappedOf = ({ decoder_config }: Gateway): Mapped[] =>
  Array.isArray(decoder_config.mapping) ? (decoder_config.mapping as Mapped[]) : [];

/** The gateway's settings with other mappings; what else is set stays. */
export const configWith = ({ decoder_config }: Gateway, mapping: readonly Mapped[]): Record<string, unknown> => ({
  ...decoder_config,
  mapping,
});

/** Changes the mappings of a gateway, as it is now. Answers it as it is then. */
export const changeMapped = (of: Gateway, change: (all: Mapped[]) => Mapped[]): Promise<Gateway> =>
  changeConfig(of, (_, now) => configWith(now, change(mappedOf(now))));

/** Changes the settings of a gateway, as it is now: somebody else may have changed it since. Answers it as it is then. */
export async function changeConfig(
  of: Gateway,
  change: (config: Record<string, unknown>, now: Gateway) => Record<string, unknown>,
): Promise<Gateway> {
  const { gateway_id, user_id } = of;
  const all = await list<Gateway>(withQuery('/v1/gateways', { user_id, limit: 200 }));
  const now = all.find((one) => one.gateway_id === gateway_id);
  if (!now) throw new Failure(404, {});
  const decoder_config = change(now.decoder_config, now);
  return call<Gateway>('PATCH', `/v1/gateways/${gateway_id}`, { decoder_config });
}
