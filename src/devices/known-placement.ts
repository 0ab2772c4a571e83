import type { Placement } from '#src/database/enums.ts';

/** Facts about a device behind a gateway that its decoder has found. */
export interface DecodedDeviceProperties {
  family: string;
  nativeId: string;
  /** Names of the device's channels, such as `import` or `switch0/import`. */
  channels: readonly string[];
}

/** A regular expression for names of devices, and the part of the home that matching devices measure. */
type PlacementRule = readonly [RegExp, Placement];

const all = (placement: Placement): readonly PlacementRule[] => [[/^/, placement]];

/** Rules for the devices of hybrid inverters, whose ids end with their purpose. */
const BY_ROLE: readonly PlacementRule[] = [
  [/\/grid$/, 'grid'],
  [/\/(?:pv|inverter)$/, 'production'],
  [/\/battery$/, 'storage'],
];

/**
 * Device families in which the id of a device shows which part of the home it measures. The first matching rule applies. If none matches,
 * the owner must choose.
 */
const BY_NATIVE_ID: ReadonlyMap<string, readonly PlacementRule[]> = new Map(
  Object.entries({
    // These families read the grid meter.
    amsreader: all('grid'),
    'dsmr-api': all('grid'),
    'dsmr-reader': all('grid'),
    dsmr2mqtt: all('grid'),
    glow: all('grid'),
    p1: all('grid'),
    p1meter: all('grid'),
    p1ib: all('grid'),
    rtlamr: all('grid'),
    smlreader: all('grid'),
    smartmeter2mqtt: [[/\/pv$/, 'production'], ...all('grid')],
    vzlogger: all('grid'),
    youless: [[/^(?!.*\/s0$)/, 'grid']],
    wmbusmeters: all('grid'),
    p1monitor: [[/\/powerproduction$/, 'production'], ...all('grid')],
    // These families read inverters.
    ahoydtu: all('production'),
    opendtu: all('production'),
    solaredge2mqtt: [[/(^|\/)inverter$/, 'production']],
    'deye-inverter-mqtt': BY_ROLE,
    enphase: BY_ROLE,
    ferroamp: BY_ROLE,
    givtcp: BY_ROLE,
    hoymiles: [[/\/battery$/, 'storage'], ...all('production')],
    homewizard: [[/\/battery$/, 'storage']],
    huawei: BY_ROLE,
    'lxp-bridge': BY_ROLE,
    rscp2mqtt: [...BY_ROLE, [/\/strings$/, 'production'], [/\/wallbox(?:\/\d)?$/, 'consumption']],
    solarassistant: BY_ROLE,
    sungrow: BY_ROLE,
    zendure: BY_ROLE,
    sbfspot: all('production'),
    marstek: [
      [/^HMI-/, 'production'],
      [/^(?!HME-)/, 'storage'],
    ],
    // French meters.
    teleinfo2mqtt: all('grid'),
    teleinfokit: all('grid'),
    // These families read chargers, heat pumps and boilers, which consume energy.
    emsesp: all('consumption'),
    'go-e': all('consumption'),
    // HeishaMon reads heat pumps. The meters at its S0 inputs may measure anything.
    heishamon: [[/^(?!.*\/s0\/[12]$)/, 'consumption']],
    openevse: all('consumption'),
    smartevse: [...BY_ROLE, ...all('consumption')],
    // Meter 0 of a WARP charger belongs to the charger itself. Other meters may measure anything.
    warp: [[/(^|\/)(warp\d?|wallbox)\/[^/]+$/, 'consumption']],
    // These meters may measure anything.
    gosdm630: [],
    mbmd: [],
    // These systems, such as evcc, report all meters of a home.
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
/** Parts of the home by words in the name of a device, as in sql/schema/0021_placements.sql. */
const NAMES: readonly PlacementRule[] = [
  [
    /\b(inverter|wechselrichter|omvormer|onduleur|solar|pv|opendtu|hoymiles|growatt|solaredge|fronius|enphase)\b/,
    'production',
  ],
  [/\b(powerwall|battery storage|batteriespeicher|hausspeicher)\b/, 'storage'],
];
/** Ids of SunSpec devices in mbmd: inverters or, if they also have import, meters. */
const SUNSPEC = /(?:^|\/)(?:fronius|kostal|kaco|se|sma|solaredge|steca|suns|sunspec)\d+-\d[\d-]*$/;
/** Parts of the home that SolarEdge's meters measure, by the role that the installer has set. */
const OF_SOLAREDGE: ReadonlyMap<string, Placement> = new Map([
  ['grid', 'grid'],
  ['production', 'production'],
  ['consumption', 'consumption'],
]);
/** Names of circuits that a relay switches: a plug, a switch in the wall, a light. */
const RELAY = /^(switch|relay|light|cover|roller|plug)\d*\//;

/** Device families in which only the last word of an id is the name of the device. Many devices share the other words. */
const NAMED_LAST: ReadonlySet<string> = new Set(['espurna', 'lorawan']);

const words = (name: string): string => name.toLowerCase().replace(/[_\-/.]/g, ' ');
/** Splits a name into words, and returns the result of the first rule that matches them. */
const placementByWords = (rules: readonly PlacementRule[], name: string): Placement | undefined =>
  rules.find(([words_]) => words_.test(words(name)))?.[1];

/** Returns the part of the home that a device measures, if its family, native id and channels show it; otherwise undefined. */
function knownPlacement({ family, nativeId, channels }: DecodedDeviceProperties): Placement | undefined {
  // OpenWB reports that the energy of this meter is included in that of the grid meter.
  if (family === 'openwb' && channels.some((channel) => channel.startsWith('branch/'))) return 'consumption';
  if (family === 'mbmd' && SUNSPEC.test(nativeId) && !channels.includes('import')) return 'production';
  if (family === 'solaredge2mqtt') {
    const installerPlacement = channels
      .map((channel) => OF_SOLAREDGE.get(channel.split('/')[0] ?? ''))
      .find((one) => one !== undefined);
    if (installerPlacement) return installerPlacement;
  }
  const byId = BY_NATIVE_ID.get(family);
  if (byId) return byId.find(([id]) => id.test(nativeId))?.[1];
  const named = placementByWords(NAMES, NAMED_LAST.has(family) ? nativeId.replace(/^.*\//, '') : nativeId);
  if (named) return named;
  const energy = channels.filter((channel) => /(^|\/)(import|export)(\/|$)/.test(channel));
  if (energy.length === 0) return undefined;
  // The owner's mapping declares all energy of the device as production.
  if (family === 'mapping' && energy.every((channel) => /(^|\/)production\//.test(channel))) return 'production';
  if (family === 'growatt') return energy.every((channel) => channel.startsWith('meter/')) ? 'grid' : 'production';
  // If a Tasmota script reads energy from a meter, the channel has a circuit. If Tasmota itself measures the energy, the channel has no
  // circuit.
  if (family === 'tasmota') return tasmotaPlacement(energy);
  return energy.every((channel) => RELAY.test(channel)) ? 'consumption' : undefined;
}

function tasmotaPlacement(energy: readonly string[]): Placement | undefined {
  const circuits = energy.map((channel) => (/^(import|export)/.test(channel) ? '' : (channel.split('/')[0] ?? '')));
  if (circuits.every((circuit) => circuit === '')) return 'consumption';
  return circuits.every((circuit) => circuit !== '' && !/^ctenergy/.test(circuit)) ? 'grid' : undefined;
}

/** Who determined the measured part of the home, in order of precedence: the owner, the decoder, or the device's type. */
type PlacementBy = 'owner' | 'decoder' | 'type';

const TYPES: readonly PlacementRule[] = [
  [/\b(inverter|microinverter|solar|pv|photovoltaics?|wind|generator)\b/, 'production'],
  [/\b(battery|batteries|storage|powerwall)\b/, 'storage'],
  [/\b(smart ?meter|electricity ?meter|grid|utility ?meter|main ?meter)\b/, 'grid'],
];

/**
 * Guesses which part of the home a device measures, if its owner has not set it (docs/home.md). The decoder takes precedence over the type.
 */
export function guessPlacement(
  type: string,
  heardAs?: DecodedDeviceProperties,
): { placement: Placement; placement_by: Exclude<PlacementBy, 'owner'> } {
  const known = heardAs && knownPlacement(heardAs);
  if (known) return { placement: known, placement_by: 'decoder' };
  return { placement: placementByWords(TYPES, type) ?? 'consumption', placement_by: 'type' };
}
