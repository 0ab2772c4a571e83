import { toCircuitWord } from '../read/circuit-word.ts';
import { type RegisterDescription, type RegisterFacts, registerFactsOf } from './register.ts';

/** A register or power of a device, with a label for the channel if its meaning is unknown. */
export interface LabelledRegister {
  described: RegisterDescription;
  /** Label that is unique within the device. */
  label: string;
}

/**
 * Channel that a register gets: `import`, `export/t1`, `heat/import`, and, in circuits that also state the place in the home, `grid/…`,
 * `pv/export` and `battery/…`. For `unknown/…` the owner is asked; `ignored/…` does not count, or is contained in another register.
 */
export type RegisterChannel = string;

interface One {
  facets: RegisterFacts;
  label: string;
  /** Tariff or phase of the register; null for a total. */
  part: string | null;
}

type Verdicts = Map<One, RegisterChannel>;
type Direction = 'import' | 'export';

/**
 * Classifies all registers of a device together (counting rules, "Registers of one device", rules 1 to 6). Pure; the order of the
 * registers does not matter. Registers that count are never a total and a part of that total.
 */
export function classifyRegisters<Of extends LabelledRegister>(registers: readonly Of[]): Map<Of, RegisterChannel> {
  const ones = new Map<One, Of>();
  for (const register of registers) {
    const facets = registerFactsOf(register.described);
    ones.set({ facets, label: toCircuitWord(register.label), part: facets.part }, register);
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

/** Adds a number to a channel that is already taken, in order of the labels: a channel is one series. */
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
  const registers = all.filter(({ facets }) => facets.unit !== 'W');
  const powers = all.filter(({ facets }) => facets.unit === 'W');
  judgeEnergy(registers, verdicts);
  const kept = registers.filter((one) => !verdicts.get(one)?.startsWith('ignored/'));
  if (kept.length > 0) placePowers(powers, kept.every(isOfProducer), verdicts);
  else judgeEnergy(powers, verdicts);
}

/** Whether a register is one of production. A device with no others is an inverter, whatever it is called. */
const isOfProducer = ({ facets }: One): boolean => facets.way === null && (facets.isMade || facets.subject === 'sun');

/** Decides whether an ambiguous word means a tariff or a period: it is the tariff if its sibling exists. */
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

/** Classifies registers; or powers, if there is no register. */
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

/** Whether energy may be heat. What a device that heats consumes is electricity, and so is what names the grid, panels or a battery. */
const isOpenHeat = ({ mayBeHeat, commodity, way, isConsumed, subject, device }: RegisterFacts, heats: boolean) =>
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

/** Removes direction and place in the home, which other commodities do not have. */
function asPlain(one: One): One {
  one.facets = { ...one.facets, way: null, isConsumed: false, subject: null };
  return one;
}

/**
 * Whether energy is heat and not electricity: of another commodity, or produced, delivered or put out by a device that heats or cools (rule
 * 5).
 */
const isThermal = ({ facets, part }: One, heats: boolean): boolean =>
  facets.commodity !== 'electricity' ||
  (heats && part === null && facets.way === null && (facets.isMade || facets.isUnclear) && facets.subject !== 'sun');

/** Classifies electricity: first solar production and battery flows, then the rest by direction. */
function judgeElectricity(all: readonly One[], hasNamedStore: boolean, verdicts: Verdicts): void {
  const stored: One[] = [];
  const made: One[] = [];
  const rest: One[] = [];
  const isDutch = all.some(({ facets }) => facets.given !== null);
  // Next to "received", "delivered" may be what the home delivers.
  const isReceived = all.some(({ facets }) => facets.siblings.has('received'));
  for (const one of all) {
    const { facets, part } = one;
    const { isInverter, isStore } = facets.device;
    const isTariff = part?.startsWith('t') === true;
    if (isSignedPower(one)) stored.push(one);
    else if (facets.moves !== null || facets.subject === 'store') stored.push(one);
    else if (facets.way === null && facets.isMade && isTariff) rest.push(withWay(one, 'export'));
    else if (facets.way === null && isOfRoof(one)) made.push(one);
    // "Delivered" has the meaning of the P1 standard if another register is named "returned" or this one is a tariff.
    else if (facets.isUnclear && facets.siblings.has('delivered') && !isReceived && (isTariff || isDutch))
      rest.push(withWay(one, 'import'));
    else if (facets.isUnclear || (facets.isMade && facets.way === null)) verdicts.set(one, asked(one));
    else if (isStore && facets.subject !== 'grid' && !isInverter) verdicts.set(one, asked(one));
    else if (isInverter && facets.subject === 'load') verdicts.set(one, asked(one));
    else if (isInverter && (facets.isConsumed || facets.way === null) && facets.subject !== 'grid')
      verdicts.set(one, asked(one));
    else if (facets.isAlone && facets.way === null) verdicts.set(one, asked(one));
    else rest.push(one);
  }
  judgeStored(stored, hasNamedStore, verdicts);
  // Next to a discharge, what states no direction may be the sum of both, or what a battery moves.
  const isMoved = stored.some(({ facets }) => facets.moves === 'discharge');
  const [moved, directed] = split(rest, ({ facets }) => isMoved && facets.way === null && facets.subject === null);
  for (const one of moved) verdicts.set(one, asked(one));
  const isDirected = directed.length > 0 || all.some(({ facets }) => facets.isSide);
  judgeMade(made, { isDirected, hasStore: stored.length > 0 }, verdicts);
  const isPlaced = all.some(({ facets }) => facets.device.isInverter || facets.device.isStore);
  judgeCircuits(directed, isPlaced ? 'grid/' : '', verdicts);
}

const withWay = (one: One, way: Direction): One => {
  one.facets = { ...one.facets, way };
  return one;
};

/** Whether a register counts solar production, by its own name or, if that names no other subject, by its device's. */
const isOfRoof = ({ facets }: One): boolean =>
  facets.subject === 'sun'
    ? !facets.isConsumed
    : facets.device.isInverter && facets.subject === null && !facets.isUnclear && !facets.isAcInput;

/**
 * Classifies charge and discharge. They count only if the name or the device identifies a battery; otherwise the owner is asked, and for
 * what mentions panels as well.
 */
function judgeStored(all: readonly One[], hasNamed: boolean, verdicts: Verdicts): void {
  for (const way of ['charge', 'discharge'] as const) {
    const direction = way === 'charge' ? 'import' : 'export';
    // What the panels charged is a part. Next to registers that name the battery, `AC charge` is one, too.
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

/** Whether a power is that of a stand-alone battery: charging is positive, like the power that a meter imports. */
const isSignedPower = ({ facets: { unit, moves, way, subject, device } }: One): boolean =>
  unit === 'W' &&
  device.isStore &&
  !device.isInverter &&
  moves === null &&
  way === null &&
  (subject ?? 'store') === 'store';

/** Whether a name says battery, and neither that the grid nor that the panels charged it. */
const isNamedStore = ({ facets }: One): boolean => facets.subject === 'store' && !facets.isOfPanels;

const isStorage = ({ device, subject }: RegisterFacts): boolean =>
  subject === null && (device.isStore || device.isInverter);

/**
 * Classifies solar production: one register counts, those of its strings are parts of it. If an inverter also has registers with a
 * direction, a plain total is ambiguous.
 */
function judgeMade(made: readonly One[], others: { isDirected: boolean; hasStore: boolean }, verdicts: Verdicts): void {
  const isSaid = ({ facets }: One) => facets.isMade || facets.subject === 'sun';
  const [said, plain] = split(made, isSaid);
  const isDirected = others.isDirected || said.length > 0;
  for (const one of isDirected ? plain : []) verdicts.set(one, asked(one));
  const counting = isDirected ? said : plain;
  const [strings, whole] = split(counting, ({ facets }) => facets.index !== null);
  const wholes = whole.filter(({ part }) => part === null);
  // What an inverter yields also has what its battery gave: next to a battery the register of the panels is the production.
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

/** Returns the circuit of a register: its place or use, and its number; empty if it belongs to the device itself. */
const circuitOf = ({ facets: { place, index } }: One): string =>
  [place, index ? `${index.noun}${index.number}` : ''].filter((word) => word !== '').join('_');

/**
 * Classifies the device's own registers and its circuits. A circuit next to a total is a part of it. Switched circuits are independent and
 * are summed. For all other circuits the owner is asked (rule 6).
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
      judgeDevice(beside, `${prefix}${toCircuitWord(circuit)}/`, verdicts);
    else for (const one of beside) verdicts.set(one, asked(one));
  }
}

/** Returns the place that all registers name, which is the device's own place and distinguishes nothing. */
const commonPlace = (all: readonly One[]): string => {
  const places = new Set(all.map(({ facets }) => facets.place));
  return places.size === 1 ? ([...places][0] ?? '') : '';
};
const withoutPlace = (circuit: string, { facets }: One, common: string): string =>
  common !== '' && facets.place === common ? circuit.slice(common.length).replace(/^_/, '') : circuit;

/** Classifies one circuit by the directions of its registers (rules 2 to 4). */
function judgeDevice(all: readonly One[], prefix: string, verdicts: Verdicts): void {
  const exports = all.filter(({ facets }) => facets.way === 'export');
  const isGrid = ({ facets }: One) => facets.subject === 'grid';
  const said = all.filter(({ facets }) => facets.way === 'import' && !facets.isConsumed);
  const unsaid = all.filter(({ facets }) => facets.way === null);
  const used = all.filter(({ facets }) => facets.isConsumed);
  // `energy` next to `energy_returned` is the import.
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
  // Tariffs and phases without a direction join the only direction that exists.
  const [joining, others] = split(rest, ({ part }) => part !== null && exports.length === 0);
  for (const one of others) verdicts.set(one, asked(one));
  settle([...imports, ...joining], 'import', prefix, verdicts);
  settle(exports, 'export', prefix, verdicts);
}

/**
 * Selects the registers of one direction that count: one total, and one register of each tariff or phase. Unexplained registers are not
 * added (rule 3).
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
 * Returns the register with the strongest evidence: it names the grid, else has a code, else states its direction in words. Returns
 * undefined if nothing decides.
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
 * Assigns powers next to registers. `isProducer`: whether all registers are of production. A power gets the circuit of a register, which
 * takes precedence over it; a power that would be added to a register is ignored.
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
  if (isOfRoof(one) && way === null) return circuits.has('pv') ? 'pv/export' : null;
  if (subject === 'load' || (isConsumed && subject !== 'grid' && circuits.has('grid'))) return null;
  const circuit = toCircuitWord(circuitOf(one) || 'x');
  if (circuits.has(circuit)) return `${circuit}/${suffix}`;
  if (circuits.has('grid')) return `grid/${suffix}`;
  // On an inverter without registers of the grid, a power of the grid without a direction may be the inverter's own output.
  const isPlaced = facets.device.isInverter || facets.device.isStore || (isProducer && way === null);
  if (isPlaced && !circuits.has('')) return subject === 'grid' && way !== null ? `grid/${suffix}` : null;
  const isOfDevice =
    circuits.size === 0 || circuits.has('') || [...circuits].every((other) => other === 'pv' || other === 'battery');
  return isOfDevice && circuitOf(one) === '' ? suffix : null;
}
