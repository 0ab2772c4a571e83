import { createCircuitWord } from '../read/circuit-word.ts';
import { getRegisterProperties, type RegisterDescription, type RegisterProperties } from './register.ts';

/** A register or power of a device. If its meaning is unknown, the label becomes part of its channel. */
interface RegisterWithLabel {
  described: RegisterDescription;
  /** Label that is unique within the device. */
  label: string;
}

/**
 * Channel that a register gets: `import`, `export/t1`, `heat/import`. If the place in the home is known, the channel begins with it:
 * `grid/…`, `pv/export`, `battery/…`. For a register in `unknown/…`, the owner is asked. A register in `ignored/…` contributes to no total,
 * or is a part of another register.
 */
type RegisterChannel = string;

interface One {
  facets: RegisterProperties;
  label: string;
  /** Tariff or phase of the register; null for a total. */
  part: string | null;
}

type Verdicts = Map<One, RegisterChannel>;
type Direction = 'import' | 'export';

/**
 * Classifies all registers of a device together, by the rules in README.md. Pure; the order of the registers does not matter. Never lets
 * both a total and a part of that total contribute to the energy.
 */
export function classifyRegisters<Of extends RegisterWithLabel>(registers: readonly Of[]): Map<Of, RegisterChannel> {
  const ones = new Map<One, Of>();
  for (const register of registers) {
    const facets = getRegisterProperties(register.described);
    ones.set({ facets, label: createCircuitWord(register.label), part: facets.part }, register);
  }
  const verdicts: Verdicts = new Map();
  const byScope = Map.groupBy(ones.keys(), ({ facets }) => facets.scope);
  for (const [scope, all] of byScope) {
    const within: Verdicts = new Map();
    judgeScope(all, within);
    for (const [one, verdict] of within) verdicts.set(one, scope === '' ? verdict : `${scope}/${verdict}`);
  }
  return apart(verdicts, ones);
}

/**
 * Makes channels unique, because a channel is one series. Of several registers with the same channel, in the order of their labels, the
 * first keeps the channel and the second gets `-2` appended, and so on.
 */
function apart<Of>(verdicts: Verdicts, ones: ReadonlyMap<One, Of>): Map<Of, RegisterChannel> {
  const judged = new Map<Of, RegisterChannel>();
  const taken = new Set<string>();
  const sorted = [...verdicts].sort(([one], [other]) => (one.label < other.label ? -1 : 1));
  for (const [one, verdict] of sorted) {
    const kind = one.facets.unit === 'W' ? 'W' : 'kWh';
    let channel = verdict;
    for (let again = 2; taken.has(`${kind} ${channel}`); again++) channel = `${verdict}-${again}`;
    taken.add(`${kind} ${channel}`);
    judged.set(ones.get(one) as Of, channel);
  }
  return judged;
}

const asked = ({ label }: One): RegisterChannel => `unknown/${label}`;
const ignored = ({ label }: One): RegisterChannel => `ignored/${label}`;
const isCounted = (verdict: RegisterChannel | undefined): verdict is RegisterChannel =>
  verdict !== undefined && !verdict.startsWith('unknown/') && !verdict.startsWith('ignored/');

function judgeScope(all: readonly One[], verdicts: Verdicts): void {
  resolveParts(all);
  if (all.some(isOfString)) for (const one of all) withInverter(one);
  const registers = all.filter(({ facets }) => facets.unit !== 'W');
  const powers = all.filter(({ facets }) => facets.unit === 'W');
  judgeEnergy(registers, verdicts);
  const kept = registers.filter((one) => !verdicts.get(one)?.startsWith('ignored/'));
  if (kept.length > 0) placePowers(powers, kept.every(isOfProducer), verdicts);
  else judgeEnergy(powers, verdicts);
}

/**
 * Whether a register or power is that of one numbered string of panels: `DC power string 1`, `MPPT 2`. Only inverters and charge controllers
 * of panels have such strings. (A battery may have strings of cells.)
 */
const isOfString = ({ facets: { index, subject, moves, device } }: One): boolean =>
  index !== null && /^(?:string|mppt)$/.test(index.noun) && subject !== 'store' && moves === null && !device.isStore;

function withInverter(one: One): void {
  one.facets = { ...one.facets, device: { ...one.facets.device, isInverter: true } };
}

/** Whether a register measures production. If all registers of a device do, the device is treated as an inverter, whatever its name. */
const isOfProducer = ({ facets }: One): boolean => facets.way === null && (facets.isMade || facets.subject === 'sun');

/**
 * Decides whether an ambiguous word such as "day" means a tariff or a period. It means a tariff if another register has the matching word,
 * such as "night".
 */
function resolveParts(all: readonly One[]): void {
  for (const one of all) {
    const { bySibling } = one.facets;
    if (!bySibling || one.part !== null) continue;
    if (all.some((other) => other !== one && other.facets.siblings.has(bySibling.sibling))) {
      one.part = bySibling.part;
      one.facets = { ...one.facets, index: null };
    } else if (bySibling.else === 'period') one.facets = { ...one.facets, not: one.facets.not ?? 'period' };
    else if (bySibling.else === 'place') one.facets = { ...one.facets, place: one.facets.place || bySibling.sibling };
  }
}

/** Classifies the registers of a device. If the device has no registers, classifies its powers. */
function judgeEnergy(all: readonly One[], verdicts: Verdicts): void {
  const [noted, counting] = split(all, ({ facets }) => facets.not !== null);
  for (const one of noted) verdicts.set(one, ignored(one));
  const heats = all.some(({ facets }) => facets.device.heats || facets.heats);
  const [unsaid, known] = split(
    counting,
    ({ facets }) =>
      facets.unit === null || facets.isUnknown || facets.isOwn || facets.way === 'both' || isOpenHeat(facets, heats),
  );
  for (const one of unsaid) verdicts.set(one, asked(one));
  const [thermal, electric] = split(known, (one) => isThermal(one, heats));
  for (const [commodity, ones] of Map.groupBy(thermal, ({ facets }) =>
    facets.commodity === 'electricity' ? 'heat' : facets.commodity,
  )) {
    judgeCircuits(ones.map(asPlain), `${commodity}/`, verdicts);
  }
  judgeElectricity(electric, counting.some(isNamedStore), verdicts);
}

/**
 * Whether an energy may be heat, so that the owner must be asked. The energy that a heating device consumes is electricity. An energy whose
 * name mentions the grid, panels or a battery is electricity, too.
 */
const isOpenHeat = ({ mayBeHeat, commodity, way, isConsumed, subject, device }: RegisterProperties, heats: boolean) =>
  mayBeHeat &&
  commodity === 'electricity' &&
  (way === null || (isConsumed && !heats)) &&
  (subject ?? 'load') === 'load' &&
  !device.isInverter &&
  !device.isStore;

const split = <Of>(all: readonly Of[], isSo: (one: Of) => boolean): [Of[], Of[]] => [
  all.filter(isSo),
  all.filter((one) => !isSo(one)),
];

/** Removes the direction and the place in the home, which exist only for electricity. */
function asPlain(one: One): One {
  one.facets = { ...one.facets, way: null, isConsumed: false, subject: null };
  return one;
}

/** Whether an energy is not electricity: its commodity is another one, or a device that heats or cools produces or delivers the energy. */
const isThermal = ({ facets, part }: One, heats: boolean): boolean =>
  facets.commodity !== 'electricity' ||
  (heats && part === null && facets.way === null && (facets.isMade || facets.isUnclear) && facets.subject !== 'sun');

/** Classifies electricity: first solar production and battery flows, then all other registers by direction. */
function judgeElectricity(all: readonly One[], hasNamedStore: boolean, verdicts: Verdicts): void {
  const stored: One[] = [];
  const made: One[] = [];
  const rest: One[] = [];
  const isDutch = all.some(({ facets }) => facets.given !== null);
  // If another register is named "received", "delivered" may mean the energy that the home delivers to the grid.
  const isReceived = all.some(({ facets }) => facets.siblings.has('received'));
  // If another register is named "used" or "consumed", the tariffs that are named "delivered" may be the feed-in.
  const isUsed = all.some(({ facets }) => facets.isConsumed && !facets.siblings.has('delivered'));
  // If an inverter has only registers of export, these may be its production, unless one of them is the part that comes from the panels.
  const isExportOnly = all.every(
    ({ facets }) => facets.way === 'export' && facets.subject !== 'grid' && !facets.isOfPanels,
  );
  const hasWhole = all.some(({ facets }) => facets.place === '' && facets.way !== 'export');
  for (const one of all) {
    const { facets, part } = one;
    const { isInverter, isStore } = facets.device;
    const isTariff = part?.startsWith('t') === true;
    if (isSignedPower(one)) stored.push(one);
    else if (facets.moves !== null || facets.subject === 'store') stored.push(one);
    else if (facets.way === null && facets.isMade && isTariff) rest.push(withWay(one, 'export'));
    else if (facets.way === null && isOfRoof(one)) made.push(one);
    // In the P1 standard, "delivered" means import. The word has this meaning if another register is named "returned" or if this register
    // is a tariff.
    else if (facets.isUnclear && facets.siblings.has('delivered') && !isReceived && (isDutch || (isTariff && !isUsed)))
      rest.push(withWay(one, 'import'));
    else if (facets.isUnclear || (facets.isMade && facets.way === null)) verdicts.set(one, asked(one));
    else if (isStore && facets.subject !== 'grid' && !isInverter) verdicts.set(one, asked(one));
    else if (isInverter && facets.subject === 'load') verdicts.set(one, asked(one));
    else if (isInverter && (facets.isConsumed || facets.way === null) && facets.subject !== 'grid')
      verdicts.set(one, asked(one));
    else if (isInverter && isExportOnly) verdicts.set(one, asked(one));
    else if (facets.isAlone && facets.way === null) verdicts.set(one, asked(one));
    else if (!hasWhole && isUseOfHeatingDevice(facets)) verdicts.set(one, asked(one));
    else rest.push(one);
  }
  judgeStored(stored, hasNamedStore, verdicts);
  // If the device has a discharge register, a register without a direction may be the charge, the discharge or the sum of both.
  const isMoved = stored.some(({ facets }) => facets.moves === 'discharge');
  const [moved, directed] = split(rest, ({ facets }) => isMoved && facets.way === null && facets.subject === null);
  for (const one of moved) verdicts.set(one, asked(one));
  const isDirected = directed.length > 0 || all.some(({ facets }) => facets.isSide);
  judgeMade(made, { isDirected, hasStore: stored.length > 0 }, verdicts);
  const isPlaced = all.some(({ facets }) => facets.device.isInverter || facets.device.isStore);
  judgeCircuits(directed, isPlaced ? 'grid/' : '', verdicts);
}

/**
 * Whether a name states a use (`heating power`) but no direction, on a device that heats or cools. It may be the electricity that the device
 * takes for this use, or the heat that the device gives.
 */
const isUseOfHeatingDevice = ({ device, heats, place, way }: RegisterProperties): boolean =>
  device.heats && heats && place !== '' && way === null;

const withWay = (one: One, way: Direction): One => {
  one.facets = { ...one.facets, way };
  return one;
};

/**
 * Whether a register measures solar production. Its own name decides. If its name mentions neither the grid, the home, panels nor a
 * battery, the name of the device decides.
 */
const isOfRoof = ({ facets }: One): boolean =>
  facets.subject === 'sun'
    ? !facets.isConsumed
    : facets.device.isInverter && facets.subject === null && !facets.isUnclear && !facets.isAcInput;

/**
 * Classifies registers of charge and discharge. They contribute to the totals only if the name of the register or of the device identifies
 * a battery. Otherwise, or if the name mentions panels, the owner is asked.
 */
function judgeStored(all: readonly One[], hasNamed: boolean, verdicts: Verdicts): void {
  for (const way of ['charge', 'discharge'] as const) {
    const direction = way === 'charge' ? 'import' : 'export';
    // Energy charged from the panels is a part of the total charge. If other registers name the battery, a register without the battery in
    // its name (`AC charge`) is a part of the total, too.
    const ones = all.filter(
      (one) =>
        one.facets.moves === way && !one.facets.isOfPanels && (hasNamed ? isNamedStore(one) : isStorage(one.facets)),
    );
    if (ones.length === 0) continue;
    settle(ones, direction, 'battery/', verdicts);
  }
  settle(all.filter(isSignedPower), 'import', 'battery/', verdicts);
  for (const one of all) if (!verdicts.has(one)) verdicts.set(one, asked(one));
}

/**
 * Whether a power is the signed power of a battery without an inverter. It is positive while the battery charges, as an imported power is
 * positive. A power whose name means production (`generationPower`) is none: its device is a hybrid inverter, or the name means discharge.
 */
const isSignedPower = ({ facets: { unit, isMade, moves, way, subject, device } }: One): boolean =>
  unit === 'W' &&
  !isMade &&
  device.isStore &&
  !device.isInverter &&
  moves === null &&
  way === null &&
  (subject ?? 'store') === 'store';

/** Whether a register's name mentions the battery as its subject, and neither the grid nor panels. */
const isNamedStore = ({ facets }: One): boolean => facets.subject === 'store' && !facets.isOfPanels;

const isStorage = ({ device, subject }: RegisterProperties): boolean =>
  subject === null && (device.isStore || device.isInverter);

/**
 * Classifies solar production. One register becomes the production; registers of single strings of panels are parts of it. If an inverter
 * also has registers with a direction, a total without a direction is ambiguous.
 */
function judgeMade(made: readonly One[], others: { isDirected: boolean; hasStore: boolean }, verdicts: Verdicts): void {
  const isSaid = ({ facets }: One) => facets.isMade || facets.subject === 'sun';
  const [said, plain] = split(made, isSaid);
  const isDirected = others.isDirected || said.length > 0;
  for (const one of isDirected ? plain : []) verdicts.set(one, asked(one));
  const counting = isDirected ? said : plain;
  const [strings, whole] = split(counting, ({ facets }) => facets.index !== null);
  const wholes = whole.filter(({ part }) => part === null);
  // An inverter's yield includes the energy from its battery. If there is a battery, the register of the panels is the production instead.
  const ofPanels = others.hasStore ? wholes.filter(({ facets }) => facets.isOfPanels) : [];
  const worded = ofPanels.length === 1 ? ofPanels : wholes.filter(({ facets }) => facets.isMade);
  if (wholes.length > 1 && worded.length === 1) {
    for (const one of wholes) if (one !== worded[0]) verdicts.set(one, asked(one));
    settle(
      whole.filter((one) => one === worded[0] || one.part !== null),
      'export',
      'pv/',
      verdicts,
    );
  } else settle(whole, 'export', 'pv/', verdicts);
  if (whole.length === 0 && strings.length === 1) settle(strings, 'export', 'pv/', verdicts);
  else for (const one of strings) verdicts.set(one, whole.length > 0 ? ignored(one) : asked(one));
}

/**
 * Returns the circuit of a register: its place or use, and its number. Returns an empty text if the register belongs to the device as a
 * whole.
 */
const circuitOf = ({ facets: { place, index } }: One): string =>
  [place, index ? `${index.noun}${index.number}` : ''].filter((word) => word !== '').join('_');

/**
 * Classifies the device's own registers and its circuits. If the device has a total, its circuits are parts of the total. Otherwise each
 * circuit with a switch is independent, and the owner is asked about all other circuits.
 */
function judgeCircuits(all: readonly One[], prefix: string, verdicts: Verdicts): void {
  const common = commonPlace(all);
  const circuits = Map.groupBy(all, (one) => withoutPlace(circuitOf(one), one, common));
  const own = circuits.get('') ?? [];
  const others = [...circuits].filter(([circuit]) => circuit !== '');
  if (own.length === 0 && others.length === 1) {
    judgeDevice(others[0]?.[1] ?? [], prefix, verdicts);
    return;
  }
  judgeDevice(own, prefix, verdicts);
  const isWhole = (one: One, other: One) =>
    other.part === null && (other.facets.way ?? 'import') === (one.facets.way ?? 'import');
  for (const [circuit, ones] of others) {
    const isPart = ones.map((one) => own.some((other) => isWhole(one, other)));
    const beside = ones.filter((_, at) => !isPart[at]);
    for (const [at, one] of ones.entries()) if (isPart[at]) verdicts.set(one, ignored(one));
    if (ones.every(({ facets }) => facets.index && (facets.index.switches || facets.device.switches)))
      judgeDevice(beside, `${prefix}${createCircuitWord(circuit)}/`, verdicts);
    else for (const one of beside) verdicts.set(one, asked(one));
  }
}

/**
 * Returns the place that all registers have in their names; empty if there is no such place. It is the place of the device and does not
 * distinguish circuits.
 */
const commonPlace = (all: readonly One[]): string => {
  const places = new Set(all.map(({ facets }) => facets.place));
  return places.size === 1 ? ([...places][0] ?? '') : '';
};
const withoutPlace = (circuit: string, { facets }: One, common: string): string =>
  common !== '' && facets.place === common ? circuit.slice(common.length).replace(/^_/, '') : circuit;

/** Classifies the registers of one circuit by their directions. */
function judgeDevice(all: readonly One[], prefix: string, verdicts: Verdicts): void {
  const exports = all.filter(({ facets }) => facets.way === 'export');
  const isGrid = ({ facets }: One) => facets.subject === 'grid';
  const said = all.filter(({ facets }) => facets.way === 'import' && !facets.isConsumed);
  const unsaid = all.filter(({ facets }) => facets.way === null);
  const used = all.filter(({ facets }) => facets.isConsumed);
  // If the device also has `energy_returned`, the register `energy` is the import.
  const taken = unsaid.filter(({ facets }) => exports.some((other) => other.facets.given === facets.words));
  const ofGrid = used.filter(isGrid).concat(exports.length === 0 ? unsaid.filter(isGrid) : []);
  const strong = [...said, ...taken, ...ofGrid];
  const imports = strong.length > 0 ? strong : [...used];
  for (const one of strong.length > 0 ? used : []) if (!ofGrid.includes(one)) verdicts.set(one, asked(one));
  const rest = unsaid.filter((one) => !strong.includes(one));
  if (imports.length === 0 && exports.length === 0) {
    settle(rest, 'import', prefix, verdicts);
    return;
  }
  // If no register exports, tariffs and phases without a direction are imports, like the other registers.
  const [joining, others] = split(rest, ({ part }) => part !== null && exports.length === 0);
  for (const one of others) verdicts.set(one, asked(one));
  settle([...imports, ...joining], 'import', prefix, verdicts);
  settle(exports, 'export', prefix, verdicts);
}

/**
 * Chooses the registers of one direction that contribute to the totals: one total, and one register for each tariff or phase. If several
 * registers compete and their names do not decide, the owner is asked.
 */
function settle(all: readonly One[], direction: Direction, prefix: string, verdicts: Verdicts): void {
  for (const [part, ones] of Map.groupBy(all, ({ part }) => part)) {
    const winner = ones.length === 1 ? ones[0] : decided(ones);
    for (const one of ones) {
      const channel = `${prefix}${direction}${part === null ? '' : `/${part}`}`;
      verdicts.set(one, one === winner ? channel : asked(one));
    }
  }
}

/**
 * Returns the register with the strongest evidence: a name that mentions the grid, then a code, then a direction in words. Returns
 * undefined if several registers have the same evidence.
 */
function decided(ones: readonly One[]): One | undefined {
  const signs: ((one: One) => boolean)[] = [
    ({ facets }) => facets.subject === 'grid',
    ({ facets }) => facets.isCoded,
    ({ facets }) => facets.way !== null && !facets.isConsumed,
    ({ facets }) => facets.way !== null,
    // `exported energy from PV` is a part of `exported energy`.
    ({ facets }) => facets.unit === 'W' || !facets.isOfPanels,
  ];
  let open = ones;
  for (const is of signs) {
    const found = open.filter(is);
    if (found.length === 1) return found[0];
    if (found.length > 1) open = found;
  }
  return undefined;
}

/**
 * Assigns channels to the powers of a device with registers. A power gets the circuit of a register that contributes to the totals. If
 * there is no such circuit, the power is ignored, because its energy would be counted in addition to that of the registers. `isProducer`:
 * whether all registers measure production.
 */
function placePowers(powers: readonly One[], isProducer: boolean, verdicts: Verdicts): void {
  const channels = [...verdicts.values()];
  const circuits = new Set(
    channels.filter(isCounted).map((channel) => channel.replace(/\/?(?:import|export)(?:\/.*)?$/, '')),
  );
  const wanted = new Map<One, RegisterChannel>();
  for (const one of powers) wanted.set(one, powerPlace(one, circuits, isProducer) ?? ignored(one));
  for (const [channel, ones] of Map.groupBy(powers, (one) => wanted.get(one) as RegisterChannel)) {
    const winner = ones.length === 1 ? ones[0] : decided(ones);
    for (const one of ones) verdicts.set(one, one === winner || !isCounted(channel) ? channel : ignored(one));
  }
}

function powerPlace(one: One, circuits: ReadonlySet<string>, isProducer: boolean): RegisterChannel | null {
  const { facets, part } = one;
  const { not, isUnknown, isOwn, way, subject, isUnclear, isConsumed } = facets;
  if (not !== null || isUnknown || isOwn || isUnclear || way === 'both' || facets.commodity !== 'electricity')
    return null;
  if (subject === 'store' || facets.moves !== null) return null;
  const suffix = [way ?? 'import', ...(part === null ? [] : [part])].join('/');
  if (isOfRoof(one) && way === null) return circuits.has('pv') && !isOfString(one) ? 'pv/export' : null;
  if (subject === 'load' || (isConsumed && subject !== 'grid' && circuits.has('grid'))) return null;
  const circuit = createCircuitWord(circuitOf(one) || 'x');
  if (circuits.has(circuit)) return `${circuit}/${suffix}`;
  if (circuits.has('grid')) return `grid/${suffix}`;
  // On an inverter without grid registers, a grid power without a direction may be the inverter's own output.
  const isPlaced = facets.device.isInverter || facets.device.isStore || (isProducer && way === null);
  if (isPlaced && !circuits.has('')) return subject === 'grid' && way !== null ? `grid/${suffix}` : null;
  const isOfDevice =
    circuits.size === 0 || circuits.has('') || [...circuits].every((other) => other === 'pv' || other === 'battery');
  return isOfDevice && circuitOf(one) === '' ? suffix : null;
}
