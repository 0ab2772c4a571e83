import type { Placement } from '#src/database/enums.ts';

/** Who says where a device sits: its owner before the decoder that knows what it is, and that one before its type. */
export type PlacementBy = 'owner' | 'decoder' | 'type';

/** What a decoder knows of a device that came through a gateway. */
export interface HeardAs {
  family: string;
  nativeId: string;
  /** `import`, `switch0/import`. */
  channels: readonly string[];
}

/** Families that read the meter at the connection point. */
const GRID_FAMILIES = new Set(['p1', 'dsmr-api', 'dsmr-reader', 'dsmr2mqtt', 'glow', 'rtlamr', 'wmbusmeters']);
/** Families that say in a device's id what it is. */
const ID_PLACEMENTS: Readonly<Record<string, readonly [RegExp, Placement][]>> = {
  evcc: [
    [/\/grid$/, 'grid'],
    [/\/pv\/\d+$/, 'production'],
    [/\/battery\/\d+$/, 'storage'],
    [/\/(loadpoints|aux|consumers)\/\d+$/, 'consumption'],
  ],
  'go-e': [[/^/, 'consumption']],
  victron: [
    [/\/grid\/\d+$/, 'grid'],
    [/\/(pvinverter|genset|solarcharger)\/\d+$/, 'production'],
    [/\/battery\/\d+$/, 'storage'],
    [/\/(acload|heatpump|evcharger)\/\d+$/, 'consumption'],
  ],
};
/** Circuits of relays: a plug, a switch in the wall, a light. */
const RELAY = /^(switch|relay|light|cover|roller|plug)\d*\//;

/** As the migration says, too (sql/schema/0021_placements.sql). */
const NAMES: readonly [RegExp, Placement][] = [
  [
    /\b(inverter|wechselrichter|omvormer|onduleur|solar|pv|opendtu|hoymiles|growatt|solaredge|fronius|enphase)\b/,
    'production',
  ],
  [/\b(powerwall|battery storage|batteriespeicher|hausspeicher)\b/, 'storage'],
];
const TYPES: readonly [RegExp, Placement][] = [
  [/\b(inverter|microinverter|solar|pv|photovoltaics?|wind|generator)\b/, 'production'],
  [/\b(battery|batteries|storage|powerwall)\b/, 'storage'],
  [/\b(smart ?meter|electricity ?meter|grid|utility ?meter|main ?meter)\b/, 'grid'],
];

const words = (name: string): string => name.toLowerCase().replace(/[_\-/.]/g, ' ');
const first = (rules: readonly [RegExp, Placement][], name: string): Placement | undefined =>
  rules.find(([words_]) => words_.test(words(name)))?.[1];

/**
 * Where a device sits whose owner has not said it (docs/home.md). Pure. A plug that was paired as a smart meter is a plug: what the
 * decoder knows goes before what was typed.
 */
export function guessedPlacement(
  type: string,
  heardAs?: HeardAs,
): { placement: Placement; placement_by: Exclude<PlacementBy, 'owner'> } {
  const known = heardAs && knownPlacement(heardAs);
  if (known) return { placement: known, placement_by: 'decoder' };
  return { placement: first(TYPES, type) ?? 'consumption', placement_by: 'type' };
}

function knownPlacement({ family, nativeId, channels }: HeardAs): Placement | undefined {
  if (GRID_FAMILIES.has(family)) return 'grid';
  const byId = ID_PLACEMENTS[family];
  // The rest of such an id is its owner's words for a broker's topic, and no name of the device.
  if (byId) return byId.find(([id]) => id.test(nativeId))?.[1];
  const named = first(NAMES, nativeId);
  if (named) return named;
  const energy = channels.filter((channel) => /(^|\/)(import|export)(\/|$)/.test(channel));
  if (energy.length === 0) return undefined;
  // Its owner has said so (`decoder_config.mapping`).
  if (family === 'mapping' && energy.every((channel) => /(^|\/)production\//.test(channel))) return 'production';
  // A script of a Tasmota reads a meter as a circuit of its own; what it measures by itself has none.
  if (family === 'tasmota') return tasmotaPlacement(energy);
  return energy.every((channel) => RELAY.test(channel)) ? 'consumption' : undefined;
}

function tasmotaPlacement(energy: readonly string[]): Placement | undefined {
  const circuits = energy.map((channel) => (/^(import|export)/.test(channel) ? '' : (channel.split('/')[0] ?? '')));
  if (circuits.every((circuit) => circuit === '')) return 'consumption';
  return circuits.every((circuit) => circuit !== '' && !/^ctenergy/.test(circuit)) ? 'grid' : undefined;
}
