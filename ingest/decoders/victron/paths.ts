import type { SaidKind } from '../family.ts';
import type { Service } from './topic.ts';

/** What a path's value is. */
interface Measured {
  channel: string;
  kind: SaidKind;
  /** It counts as positive what it gives. */
  isTurned?: boolean;
  asks?: { unit: string };
}

const METERS: ReadonlySet<Service> = new Set(['grid', 'genset', 'pvinverter', 'acload', 'heatpump', 'evcharger']);
/** Their `Forward` is what they make. */
const MAKING: ReadonlySet<Service> = new Set(['pvinverter', 'genset']);
const AC_POWER = /^Ac\/(?:(L[123])\/)?Power$/;
const AC_ENERGY = /^Ac\/(?:(L[123])\/)?Energy\/(Forward|Reverse)$/;
/** Energy through an inverter and charger, from one of its sides to another: `AcIn1ToAcOut`. */
const THROUGH = /^Energy\/((?:AcIn[12]|AcOut|Out|Inverter|Solar)To(?:AcIn[12]|AcOut|Inverter|Battery))$/;
const THROUGH_POWER = /^Ac\/(?:ActiveIn|Out)\/P$/;

/** What a service's path is; null where nothing is read of it. `isLifetime`: of a charger, whether its energy is known to be. */
export function measuredOf(service: Service, path: string, isLifetime: boolean): Measured | null {
  if (METERS.has(service)) return acOf(service, path, isLifetime);
  if (service === 'battery') {
    if (path === 'Dc/0/Power') return { channel: 'import', kind: 'power_w' };
    if (path === 'History/ChargedEnergy') return register('import');
    return path === 'History/DischargedEnergy' ? register('export') : null;
  }
  if (service === 'solarcharger') {
    if (path === 'Yield/Power') return { channel: 'import', kind: 'power_w', isTurned: true };
    return path === 'Yield/System' ? register('export') : null;
  }
  if (service === 'temperature')
    return path === 'Temperature' ? { channel: 'temperature', kind: 'temperature_c' } : null;
  const through = THROUGH.exec(path)?.[1]?.toLowerCase();
  if (through) return { ...register(`unknown/${through}`), asks: { unit: 'kWh' } };
  if (!THROUGH_POWER.test(path)) return null;
  return { channel: `unknown/${path.split('/')[1]?.toLowerCase()}`, kind: 'power_w', asks: { unit: 'W' } };
}

function acOf(service: Service, path: string, isLifetime: boolean): Measured | null {
  const part = (phase: string | undefined) => (phase ? `/${phase.toLowerCase()}` : '');
  const isMaking = MAKING.has(service);
  const power = AC_POWER.exec(path);
  if (power) return { channel: `import${part(power[1])}`, kind: 'power_w', isTurned: isMaking };
  const [, phase, way] = AC_ENERGY.exec(path) ?? [];
  if (!way) return null;
  if (service === 'evcharger' && !isLifetime) {
    // Until Venus OS 3.70 it was a session's, of Victron's own chargers.
    return { ...register(`unknown/energy_${way.toLowerCase()}${part(phase)}`), asks: { unit: 'kWh' } };
  }
  return register(`${(way === 'Forward') === isMaking ? 'export' : 'import'}${part(phase)}`);
}

const register = (channel: string): Measured => ({ channel, kind: 'energy_total_kwh' });
