import { readNumber } from '../read/number.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';

/** Matches a data point of Tuya, which has a number instead of a name. */
const DATA_POINT = /(?:^|\/)dps\/\d{1,3}$/i;
/** Whether a path ends with a numbered data point of Tuya: `dps/17`. */
export const isTuyaDataPoint = (path: string): boolean => DATA_POINT.test(path);

/** Number of the first data point that a maker defines. Tuya defines the points below: developer.tuya.com, Custom Function. */
const FIRST_OWN_POINT = 101;
/** Points with the calibration of a plug's meter: coefficients of voltage, current, power and energy. */
const CALIBRATION = [22, 23, 24, 25];
/**
 * Points that are not energies or powers, on a plug that publishes all points of `CALIBRATION`: current, voltage, a test, the calibration,
 * faults.
 */
const OTHER_POINTS_OF_PLUG = new Set([18, 20, 21, ...CALIBRATION, 26]);

/**
 * Returns the numbers of the data points in a message that may be a register or a power. If the message contains points of Tuya's standard,
 * the points that the maker has added are phases, other quantities and calibrations. Excludes 0 and 1, which may be states.
 */
export function listRegisterDataPoints(members: readonly NumberWithPath[]): ReadonlySet<number> {
  const points = new Set(
    members.filter(({ path, value }) => isTuyaDataPoint(path) && isNumber(value)).map(getDataPointNumber),
  );
  const isPlug = CALIBRATION.every((point) => points.has(point));
  const own = [...points].filter((point) => !(isPlug && OTHER_POINTS_OF_PLUG.has(point)));
  const standard = own.filter((point) => point < FIRST_OWN_POINT);
  return new Set(standard.length > 0 ? standard : own);
}

export const getDataPointNumber = ({ path }: Pick<NumberWithPath, 'path'>): number => Number(getLastNameOfPath(path));

const isNumber = (value: unknown): boolean => Number(readNumber(value)) > 1;
