/** Meaning of an OBIS code (IEC 62056-61). */
export interface ObisMeaning {
  /** `register` is a lifetime total, `power` an instantaneous value. */
  quantity: 'register' | 'power' | 'none';
  direction: 'import' | 'export' | null;
  /** Tariff and phase, such as `t1`, `l2`. */
  parts: readonly string[];
  medium: 'gas' | 'heat' | 'water' | '';
  /** Reason why the quantity contributes to no total; null if it contributes. */
  not: 'reactive' | 'apparent' | 'balance' | 'period' | 'unmeasured' | 'again' | null;
}

/**
 * Matches an OBIS code such as `1-0:1.8.0*255`, `1.8.1`, `2_8_0`, `1.8.0_96`: medium and channel (A-B), quantity (C), processing (D), tariff
 * (E) and billing period (F). Does not match if more digits precede or follow, as in versions, dates and addresses.
 */
const CODE =
  /(?:^|[^\d.])(?:([0-9])[-._]\d{1,3}[:._])?([1-9]\d?)[._]([1-9]\d?)[._](\d{1,2})(?:[*&](\d{1,3})|_(\d{2,3})|\.255)?(?!\d|\.\d)/;
/**
 * Matches an OBIS code in SML's form: all six groups in hexadecimal, optionally with dots or after a manufacturer's prefix:
 * `77070100020800ff`.
 */
const HEXADECIMAL =
  /(?:^|[^0-9a-f])(?:7707)?01\.?([0-9a-f]{2})\.?([0-9a-f]{2})\.?([0-9a-f]{2})\.?([0-9a-f]{2})\.?([0-9a-f]{2})(?![0-9a-f])/i;
/**
 * Matches an OBIS code without separators, as a separate word: `energy_280`. Matches only registers (D is 8), because other numbers such as
 * 170 are too common.
 */
const PACKED = /(?:^|[_\s])([1-9])8([0-9])(?=$|[_\s])/;

/** Difference between the code (C) of a total and the code of the first phase, and between the codes of two phases. */
const PHASE_STEP = 20;
const MEDIA: Readonly<Record<string, ObisMeaning['medium']>> = {
  5: 'heat',
  6: 'heat',
  7: 'gas',
  8: 'water',
  9: 'water',
};
/** Values of D in an OBIS code: 8 is the lifetime total, 7 the instantaneous value. All other values are means, maxima and periods. */
const REGISTER = 8;
const POWER = 7;
const CURRENT_PERIOD = 255;

interface Code {
  medium: ObisMeaning['medium'];
  flow: number;
  made: number;
  tariff: number;
  period: number | undefined;
}

function codeIn(name: string): Code | null {
  const [code, a = '1', c, d, e, marked, f = marked] = CODE.exec(name) ?? [];
  if (code !== undefined) {
    const period = f === undefined ? undefined : Number(f);
    return { medium: MEDIA[a] ?? '', flow: Number(c), made: Number(d), tariff: Number(e), period };
  }
  const [bytes, ...pairs] = HEXADECIMAL.exec(name) ?? [];
  if (bytes !== undefined) {
    const [, flow = 0, made = 0, tariff = 0, period] = pairs.map((pair) => Number.parseInt(pair, 16));
    return { medium: '', flow, made, tariff, period };
  }
  const [packed, flow, tariff] = PACKED.exec(name) ?? [];
  if (packed === undefined) return null;
  return { medium: '', flow: Number(flow), made: REGISTER, tariff: Number(tariff), period: undefined };
}

/** Parses the first OBIS code in a name or a message's key; returns null if the name contains no code of energy or power. */
export function parseObisCode(name: string): ObisMeaning | null {
  const code = codeIn(name);
  if (code === null || code.medium !== '') return null;
  const { flow, made, tariff, medium, period } = code;
  // The billing period (F) of a code is 255 for the current period. Some meters print 00 instead.
  const isOld = period !== undefined && ![0, CURRENT_PERIOD].includes(period);
  const none: ObisMeaning = { quantity: 'none', direction: null, parts: [], medium, not: null };
  if (flow > 80 || ![2, 4, 5, 6, POWER, REGISTER, 9, 29].includes(made)) return null;
  const phase = Math.floor(flow / PHASE_STEP);
  const what = flow % PHASE_STEP;
  if (what >= 3 && what <= 8) return { ...none, not: 'reactive' };
  if (what === 9 || what === 10) return { ...none, not: 'apparent' };
  // Quantity (C) 15 is the sum of both directions, and 16 their difference. A power with quantity 16 is positive for import, as the power
  // of a meter is.
  if (what === 16 && made === POWER) return { ...none, quantity: 'power', direction: 'import', parts: phaseOf(phase) };
  if (what === 15 || what === 16) return { ...none, not: 'balance' };
  if (what !== 1 && what !== 2) return null;
  if (isOld) return { ...none, not: 'period' };
  if (made !== REGISTER && made !== POWER) return { ...none, not: made === 9 || made === 29 ? 'period' : 'unmeasured' };
  return {
    quantity: made === REGISTER ? 'register' : 'power',
    direction: what === 1 ? 'import' : 'export',
    parts: [...(tariff > 0 && made === REGISTER ? [`t${tariff}`] : []), ...phaseOf(phase)],
    medium,
    not: null,
  };
}

const phaseOf = (phase: number): string[] => (phase > 0 ? [`l${phase}`] : []);
