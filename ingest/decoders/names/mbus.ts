import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';

/**
 * Matches the quantity and the unit that libmbus writes into `Unit`: `Energy (10 kWh)`, `Volume (1e-2  m^3)`, `Power (mW)`. In its
 * normalised format, `Quantity` and `Unit` are separate.
 */
const QUANTITY = /^(Energy|Volume|Power) \(\s*(1?0*(?:\.\d+)?|1e-?\d)\s*(my|[mkMG])?\s*(Wh|J|W|m\^?3)\)$/;
/** Powers of ten of the prefixes of units. libmbus writes "my" for micro. */
const PREFIXES: Readonly<Record<string, number>> = { my: -6, m: -3, k: 3, M: 6, G: 9 };
/** Units of this service, and the powers of ten that convert libmbus' units to them. */
const UNITS: Readonly<Record<string, readonly [unit: string, exponent: number]>> = {
  Wh: ['kWh', -3],
  J: ['MJ', -6],
  W: ['W', 0],
  'm^3': ['m3', 0],
  m3: ['m3', 0],
};
/** Matches the medium without its temperature and the place of the meter: `Heat: Outlet`, `Warm water (30-90°C)`. */
const MEDIUM = /^(?:(?:warm|hot|cold) )?([^:/(]{1,40})/i;
const MAX_RECORDS = 500;

/**
 * Returns the quantities of a meter in the XML format of libmbus, converted to JSON: the present registers and powers by their names, with
 * the meter's id and medium. Returns null for every other body. Excludes values of past dates (storage numbers), maxima, and parts of the
 * meter such as pulse inputs (`Device`).
 */
export function parseMbusRecords(json: unknown): Json | null {
  const body = asObjectOrNull(json);
  const data = asObjectOrNull(getMember(body, 'MBusData')) ?? body;
  const meter = asObjectOrNull(getMember(data, 'SlaveInformation'));
  const listed = getMember(data, 'DataRecord');
  if (!meter || listed === undefined) return null;
  const records = (Array.isArray(listed) ? listed : [listed]).slice(0, MAX_RECORDS).map(asObjectOrNull);
  const numbers = records.flatMap((record) => (record && isPresentValue(record) ? (numberOf(record) ?? []) : []));
  const byName = Map.groupBy(numbers, ({ name }) => name);
  // Only their order distinguishes records of one quantity (import and export, heat and cooling), so the owner is asked about them.
  const members = [...byName].flatMap(([name, all]) =>
    all.map(({ number }, index) => {
      const lone = name === 'Volume' ? 'Volume total' : name;
      return [all.length > 1 ? `unclear ${name} record ${index + 1}` : lone, number];
    }),
  );
  return {
    serial: getMember(meter, 'Id'),
    medium: MEDIUM.exec(String(getMember(meter, 'Medium')))?.[1],
    Timestamp: getMember(records[0] ?? null, 'Timestamp'),
    ...Object.fromEntries(members),
  };
}

const isPresentValue = (record: Json): boolean =>
  /^instantaneous/i.test(String(getMember(record, 'Function'))) &&
  ['StorageNumber', 'Device'].every((name) => Number(getMember(record, name) ?? 0) === 0);

/** Returns the number of a record with its name and unit; null for other quantities than energies, volumes and powers. */
function numberOf(record: Json): { name: string; number: { value: number; unit: string } } | null {
  const named = getMember(record, 'Quantity');
  const unit = getMember(record, 'Unit');
  const [, quantity = '', factor = '', prefix = '', written = ''] =
    QUANTITY.exec(named === undefined ? `${unit}` : `${named} (${unit})`) ?? [];
  const value = readNumber(getMember(record, 'Value'));
  const [converted, own = 0] = UNITS[written] ?? [];
  if (converted === undefined || typeof value !== 'number') return null;
  const exponent = own + (PREFIXES[prefix] ?? 0) + Math.round(Math.log10(Number(factor || 1)));
  const tariff = Number(getMember(record, 'Tariff') ?? 0);
  return {
    name: tariff > 0 ? `${quantity} tariff ${tariff}` : quantity,
    // A division by a power of ten is exact where a multiplication by its reciprocal is not.
    number: { value: exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent, unit: converted },
  };
}
