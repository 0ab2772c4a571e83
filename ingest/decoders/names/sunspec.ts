import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import type { MetricQuantity } from '../sparkplug/channels.ts';
import { findMetricUnit, type MetricUnit } from '../sparkplug/units.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';

/**
 * Matches the points of SunSpec's information models whose units the standard defines: registers in Wh and powers in W (models 101 to 103,
 * 111 to 113, 160, 201 to 214 and 701).
 */
const REGISTER = /^(?:WH|DCWH|DCWh(?:Inj|Abs)|TotWh(?:Imp|Exp|Inj|Abs)(?:Ph[ABC]|L[123])?)$/;
const POWER = /^(?:W|DCW|W(?:ph[ABC]|L[123]))$/;
const PHASE_POWER = /^W(?:ph|L)/;
/** Matches points that other devices do not have. They are the evidence that `W` and `WH` are points, too. */
const ONLY_SUNSPEC = /^(?:(?:PhV|PPV|A|W|VA|VAR|PF)ph[ABC]{1,2}|DC[AVW]|DCWH|Tot(?:Wh|VAh|VArh)(?:Imp|Exp).*|.+_SF)$/;
/** Points whose names alone identify them. */
const SELF_EVIDENT = /^(?:TotWh|DCW|Wph[ABC]$)/;

/** Matches the names of scale factors. The value of a point is its number times 10 to the power of its scale factor. */
const SCALE_FACTOR = /_SF$/;
export const isScaleFactor = (path: string): boolean => SCALE_FACTOR.test(path);

/** Whether a name identifies a point of SunSpec with an energy or a power without any other point. */
export const isSunspecPoint = (name: string): boolean =>
  SELF_EVIDENT.test(name) && (REGISTER.test(name) || POWER.test(name));

/** Name of the scale factor of a point: `TotWh_SF` for `TotWhImpPhA`, `W_SF` for `WphA`. */
const scaleFactorOf = (name: string): string => `${/^(?:TotWh|DCWh|DCWH|WH|DCW|W)/.exec(name)?.[0]}_SF`;

const pathBefore = (path: string): string => path.slice(0, path.length - getLastNameOfPath(path).length);

/**
 * Returns the questions about the points of SunSpec in a message: about registers and powers whose names state no direction, and about all
 * points whose scale factor is in the same message, because the number may not be multiplied yet. The owner is not asked about the powers
 * of the phases next to their sum.
 */
export function askAboutSunspecPoints(
  members: readonly NumberWithPath[],
  quantities: ReadonlyMap<string, MetricQuantity | null>,
): Map<string, MetricQuantity> {
  const paths = new Set(members.map(({ path }) => path));
  const objects = new Set(members.filter(isEvidence).map(({ path }) => pathBefore(path)));
  const asked = new Map<string, MetricQuantity>();
  for (const { path, unit: stated } of members) {
    const name = getLastNameOfPath(path);
    const unit = REGISTER.test(name) ? 'kWh' : POWER.test(name) ? 'W' : null;
    const before = pathBefore(path);
    if (unit === null || stated !== undefined || !(isSunspecPoint(name) || objects.has(before))) continue;
    if (PHASE_POWER.test(name) && paths.has(`${before}W`)) continue;
    const isScaled = paths.has(before + scaleFactorOf(name));
    const known = quantities.get(path);
    if (known !== undefined && !isScaled) continue;
    const scale = findMetricUnit(unit === 'kWh' ? 'Wh' : 'W') as MetricUnit;
    asked.set(path, {
      ...known,
      channel: `unknown/${normaliseChannelWord(path)}`,
      unit: isScaled ? { ...scale, times: 1, per: 1 } : scale,
      asks: { unit: isScaled ? null : unit },
    });
  }
  return asked;
}

const isEvidence = ({ path }: NumberWithPath): boolean => ONLY_SUNSPEC.test(getLastNameOfPath(path));
