import { type Billionths, formatRounded } from '#src/core/decimal.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { HomeEnergyExchange } from '#src/energy/home/exchange.ts';
import { roundKwh } from './cost.ts';

/** A battery that a home might have: energies in kWh, powers in kW. */
export interface Battery {
  capacityKwh: Billionths;
  chargeKw: Billionths;
  dischargeKw: Billionths;
  /** Share of the charged energy that can be discharged, 0.5 to 1. */
  roundTripEfficiency: Billionths;
  /** Energy in the battery at the start. */
  initialKwh: Billionths;
}

export interface HypotheticalHomeChange {
  battery: Battery | null;
  /** Factor by which the production is multiplied. Null: unchanged. */
  productionScale: Billionths | null;
}

/** Energy exchanged with the grid, by quarter-hour: in whole mWh before the simulated change of the home, in smaller units after it. */
interface Exchanged<List> {
  imported: List;
  estimated: List;
  exported: List;
}

export interface HomeSimulation {
  /** Number of energy units in one mWh. The unit is so small that every energy is a whole number of units. */
  units: bigint;
  before: Exchanged<Float64Array>;
  after: Exchanged<bigint[]>;
  /** Per quarter-hour: its length in ms if the exchange is known, otherwise 0. */
  coveredMs: Float64Array;
  unknownQuarterHours: number;
  sums: {
    before: SideSums;
    after: SideSums;
    /** Usage of the home, which is the same before and after the change. */
    used: bigint;
    charged: bigint;
    discharged: bigint;
    stored: bigint;
    hasProduction: boolean;
  };
}

interface SideSums {
  imported: bigint;
  exported: bigint;
  /** The part of `exported` from quarter-hours in which the home had production or storage. */
  exportedBeside: bigint;
  production: bigint;
}

const BILLION = 1_000_000_000n;
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/**
 * Simulates a home with a battery or with another production, quarter-hour by quarter-hour (docs/cost.md, "What if"). All energies are
 * exact. Quarter-hours with unknown energy are skipped.
 */
export function simulateHome(
  exchange: HomeEnergyExchange,
  { battery, productionScale }: HypotheticalHomeChange,
): HomeSimulation {
  const count = exchange.isKnown.length;
  // The unit is so small that energies divided by the efficiency of the battery are whole numbers.
  const efficiency = battery?.roundTripEfficiency ?? BILLION;
  const units = (BILLION * BILLION * efficiency) / gcd(BILLION, efficiency);
  const run = battery && createBattery(battery, units);
  const list = () => new Float64Array(count);
  const before = { imported: list(), estimated: list(), exported: list() };
  const none = () => new Array<bigint>(count).fill(0n);
  const after = { imported: none(), estimated: none(), exported: none() };
  const coveredMs = list();
  const totals = { imported: 0, exported: 0, exportedBeside: 0, production: 0, balance: 0, floor: 0 };
  const sums = { imported: 0n, exported: 0n, exportedBeside: 0n };
  let [unknownQuarterHours, hasProduction] = [0, false];
  for (let at = 0; at < count; at++) {
    if (exchange.isKnown[at] === 0) {
      unknownQuarterHours++;
      continue;
    }
    const of = (name: keyof HomeEnergyExchange) => exchange[name][at] as number;
    const both = Math.min(of('imported'), of('exported'));
    const [imported, exported, isAlone] = [of('imported') - both, of('exported') - both, of('exportedAlone') > 0];
    before.imported[at] = imported;
    before.exported[at] = exported;
    before.estimated[at] = Math.min(of('estimated'), imported);
    coveredMs[at] = QUARTER_HOUR_MS;
    totals.imported += imported;
    totals.exported += exported;
    if (!isAlone) totals.exportedBeside += exported;
    totals.production += of('production');
    // The usage of a home without production and storage is its import, which was reduced by `both` above.
    totals.balance += of('balance') - (isAlone ? both : 0);
    totals.floor += imported - of('charged');
    hasProduction ||= of('productionMs') > 0;
    let flow: Flow = { imported: BigInt(imported) * units, exported: BigInt(exported) * units };
    if (productionScale !== null)
      flow = addProduction(flow, BigInt(of('production')) * (productionScale - BILLION) * (units / BILLION));
    if (run) flow = run.step(flow);
    after.imported[at] = flow.imported;
    after.exported[at] = flow.exported;
    after.estimated[at] = min(BigInt(of('estimated')) * units, flow.imported);
    sums.imported += flow.imported;
    sums.exported += flow.exported;
    if (!isAlone) sums.exportedBeside += flow.exported;
  }
  const whole = (milliwattHours: number) => BigInt(milliwattHours) * units;
  const production = whole(totals.production);
  const [imported, exported, exportedBeside] = [totals.imported, totals.exported, totals.exportedBeside].map(whole);
  return {
    ...{ units, before, after, coveredMs, unknownQuarterHours },
    sums: {
      before: { imported, exported, exportedBeside, production } as SideSums,
      after: { ...sums, production: (production / BILLION) * (productionScale ?? BILLION) },
      used: whole(Math.max(totals.balance, totals.floor, 0)),
      ...(run?.sums ?? { charged: 0n, discharged: 0n, stored: 0n }),
      hasProduction,
    },
  };
}

/** Energy that flows from and to the grid in a quarter-hour. At least one of the two is 0. */
interface Flow {
  imported: bigint;
  exported: bigint;
}

/**
 * Returns the exchange with the grid if the home produces `more` energy. Additional production first reduces the import; the rest is
 * exported.
 */
function addProduction({ imported, exported }: Flow, more: bigint): Flow {
  if (more >= 0n) {
    const used = min(more, imported);
    return { imported: imported - used, exported: exported + more - used };
  }
  const exportReduction = min(-more, exported);
  return { imported: imported - more - exportReduction, exported: exported - exportReduction };
}

/** The battery charges from energy that would be exported, and discharges to replace imported energy. */
function createBattery(battery: Battery, units: bigint) {
  // A billionth of a kWh is a thousandth of an mWh. In a quarter-hour, a billionth of a kW yields a quarter of this energy.
  const ofKwh = (energy: Billionths) => (energy * units) / 1_000n;
  const ofKw = (power: Billionths) => (power * units) / 4_000n;
  const capacity = ofKwh(battery.capacityKwh);
  const [mostIn, mostOut, efficiency] = [
    ofKw(battery.chargeKw),
    ofKw(battery.dischargeKw),
    battery.roundTripEfficiency,
  ];
  const sums = { charged: 0n, discharged: 0n, stored: ofKwh(battery.initialKwh) };
  return {
    sums,
    step({ imported, exported }: Flow): Flow {
      const room = capacity - sums.stored;
      let charge = min(exported, mostIn);
      let gain = (charge * efficiency) / BILLION;
      if (gain > room) [charge, gain] = [(room * BILLION) / efficiency, room];
      sums.charged += charge;
      sums.stored += gain;
      const discharge = min(min(imported, mostOut), sums.stored);
      sums.discharged += discharge;
      sums.stored -= discharge;
      return { imported: imported - discharge, exported: exported - charge };
    },
  };
}

export interface HomeEnergies {
  grid_import_kwh: number;
  grid_export_kwh: number;
  self_consumed_kwh: number | null;
  autarky: number | null;
}

/** Rounds energies to 3 decimals of a kWh. Rounds autarky down to 3 decimals. */
export function roundHomeEnergies({ units, sums }: HomeSimulation, side: 'before' | 'after'): HomeEnergies {
  const { imported, exported, exportedBeside, production } = sums[side];
  const { used, hasProduction } = sums;
  const consumed = production - exportedBeside;
  return {
    grid_import_kwh: roundKwh(imported, units),
    grid_export_kwh: roundKwh(exported, units),
    self_consumed_kwh: hasProduction ? roundKwh(consumed > 0n ? consumed : 0n, units) : null,
    autarky: used > 0n ? Number((1_000n * (used > imported ? used - imported : 0n)) / used) / 1_000 : null,
  };
}

export function describeBattery({ units, sums }: HomeSimulation, { capacityKwh }: Battery) {
  const cycles = { numerator: sums.discharged * 1_000n, denominator: capacityKwh * units };
  return {
    charged_kwh: roundKwh(sums.charged, units),
    discharged_kwh: roundKwh(sums.discharged, units),
    stored_kwh: roundKwh(sums.stored, units),
    full_cycles: Number(formatRounded(cycles, 2)),
  };
}

/** Whether the battery or the changed production has any effect: there is exported energy to store, or production to scale. */
export function doesHomeChangeAffectEnergy(
  { sums }: HomeSimulation,
  { battery, productionScale }: HypotheticalHomeChange,
): boolean {
  const isScaled = productionScale !== null && sums.before.production > 0n;
  return isScaled || (battery !== null && sums.before.exported > 0n);
}
