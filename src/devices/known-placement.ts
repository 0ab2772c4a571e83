import type { Placement } from '#src/database/enums.ts';

/** What a decoder knows of a device that came through a gateway. */
export interface HeardAs {
  family: string;
  nativeId: string;
  /** `import`, `switch0/import`. */
  channels: readonly string[];
}

/** A form of a name, and where what is called so sits. */
type PlacementRule = readonly [RegExp, Placement];

const all = (placement: Placement): readonly PlacementRule[] => [[/^/, placement]];

/**
 * Families of which the native id says what a device is, by the first rule that fits; one that fits none is its owner's to place. The
 * rest of such an id is its owner's words for a topic, and no name of the device.
 */
const BY_NATIVE_ID: ReadonlyMap<string, readonly PlacementRule[]> = new Map(
  Object.entries({
    // Readers of the meter at the connection point.
    amsreader: all('grid'),
    'dsmr-api': all('grid'),
    'dsmr-reader': all('grid'),
    dsmr2mqtt: all('grid'),
    glow: all('grid'),
    p1: all('grid'),
    p1meter: all('grid'),
    rtlamr: all('grid'),
    smlreader: all('grid'),
    vzlogger: all('grid'),
    wmbusmeters: all('grid'),
    p1monitor: [[/\/powerproduction$/, 'production'], ...all('grid')],
    // Inverters.
    ahoydtu: all('production'),
    opendtu: all('production'),
    solaredge2mqtt: [[/(^|\/)inverter$/, 'production']],
    // Chargers, heat pumps and boilers.
    emsesp: all('consumption'),
    'go-e': all('consumption'),
    // What is at its S0 inputs nobody knows.
    heishamon: [[/^(?!.*\/s0\/[12]$)/, 'consumption']],
    openevse: all('consumption'),
    // Meter 0 of a charger is the charger's own; an energy manager's (wem, wem2, seb), and the others, sit anywhere.
    warp: [[/(^|\/)(warp\d?|wallbox)\/[^/]+$/, 'consumption']],
    // Meters on rails, of whatever is behind them.
    mbmd: [],
    // Whole homes.
    evcc: [
      [/\/grid$/, 'grid'],
      [/\/pv\/\d+$/, 'production'],
      [/\/battery\/\d+$/, 'storage'],
      [/\/(loadpoints|aux|consumers)\/\d+$/, 'consumption'],
    ],
    openwb: [
      [/\/(counter\/\d+|evu)$/, 'grid'],
      [/\/pv(\/\d+)?$/, 'production'],
      [/\/(bat\/\d+|housebattery)$/, 'storage'],
      ...all('consumption'),
    ],
    victron: [
      [/\/grid\/\d+$/, 'grid'],
      [/\/(pvinverter|genset|solarcharger)\/\d+$/, 'production'],
      [/\/battery\/\d+$/, 'storage'],
      [/\/(acload|heatpump|evcharger)\/\d+$/, 'consumption'],
    ],
  } satisfies Record<string, readonly PlacementRule[]>),
);
/** As the migration says, too (sql/schema/0021_placements.sql). */
const NAMES: readonly PlacementRule[] = [
  [
    /\b(inverter|wechselrichter|omvormer|onduleur|solar|pv|opendtu|hoymiles|growatt|solaredge|fronius|enphase)\b/,
    'production',
  ],
  [/\b(powerwall|battery storage|batteriespeicher|hausspeicher)\b/, 'storage'],
];
/** SunSpec devices of mbmd: inverters, but for meters, which count import, too. */
const SUNSPEC = /(?:^|\/)(?:fronius|kostal|kaco|se|sma|solaredge|steca|suns|sunspec)\d+-\d[\d-]*$/;
/** Circuits of SolarEdge's meters, by what their installer has set. */
const OF_SOLAREDGE: ReadonlyMap<string, Placement> = new Map([
  ['grid', 'grid'],
  ['production', 'production'],
  ['consumption', 'consumption'],
]);
/** Circuits of relays: a plug, a switch in the wall, a light. */
const RELAY = /^(switch|relay|light|cover|roller|plug)\d*\//;

/** Families of which only the last word of an id is the device's name: before it is what is common to many. */
const NAMED_LAST: ReadonlySet<string> = new Set(['espurna', 'lorawan']);

const words = (name: string): string => name.toLowerCase().replace(/[_\-/.]/g, ' ');
/** Where the first of these rules says that something of this name sits, by its words. Pure. */
const placementByWords = (rules: readonly PlacementRule[], name: string): Placement | undefined =>
  rules.find(([words_]) => words_.test(words(name)))?.[1];

/** Where a device sits by what its decoder knows: its family, what it is called, its channels; undefined: that does not tell. Pure. */
function knownPlacement({ family, nativeId, channels }: HeardAs): Placement | undefined {
  // What openWB says to lie behind the meter at the grid.
  if (family === 'openwb' && channels.some((channel) => channel.startsWith('branch/'))) return 'consumption';
  if (family === 'mbmd' && SUNSPEC.test(nativeId) && !channels.includes('import')) return 'production';
  if (family === 'solaredge2mqtt') {
    const said = channels
      .map((channel) => OF_SOLAREDGE.get(channel.split('/')[0] ?? ''))
      .find((one) => one !== undefined);
    if (said) return said;
  }
  const byId = BY_NATIVE_ID.get(family);
  if (byId) return byId.find(([id]) => id.test(nativeId))?.[1];
  const named = placementByWords(NAMES, NAMED_LAST.has(family) ? nativeId.replace(/^.*\//, '') : nativeId);
  if (named) return named;
  const energy = channels.filter((channel) => /(^|\/)(import|export)(\/|$)/.test(channel));
  if (energy.length === 0) return undefined;
  // Its owner has said so (`decoder_config.mapping`).
  if (family === 'mapping' && energy.every((channel) => /(^|\/)production\//.test(channel))) return 'production';
  if (family === 'growatt') return energy.every((channel) => channel.startsWith('meter/')) ? 'grid' : 'production';
  // A script of a Tasmota reads a meter as a circuit of its own; what it measures by itself has none.
  if (family === 'tasmota') return tasmotaPlacement(energy);
  return energy.every((channel) => RELAY.test(channel)) ? 'consumption' : undefined;
}

function tasmotaPlacement(energy: readonly string[]): Placement | undefined {
  const circuits = energy.map((channel) => (/^(import|export)/.test(channel) ? '' : (channel.split('/')[0] ?? '')));
  if (circuits.every((circuit) => circuit === '')) return 'consumption';
  return circuits.every((circuit) => circuit !== '' && !/^ctenergy/.test(circuit)) ? 'grid' : undefined;
}

/** Who says where a device sits: its owner before the decoder that knows what it is, and that one before its type. */
type PlacementBy = 'owner' | 'decoder' | 'type';

const TYPES: readonly PlacementRule[] = [
  [/\b(inverter|microinverter|solar|pv|photovoltaics?|wind|generator)\b/, 'production'],
  [/\b(battery|batteries|storage|powerwall)\b/, 'storage'],
  [/\b(smart ?meter|electricity ?meter|grid|utility ?meter|main ?meter)\b/, 'grid'],
];

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
  return { placement: placementByWords(TYPES, type) ?? 'consumption', placement_by: 'type' };
}
