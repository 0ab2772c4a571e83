import { type Billionths, formatRounded } from '#src/core/decimal.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { HomeEnergyExchange } from '#src/energy/home/exchange.ts';
import { roundKwh } from './cost.ts';

/** A battery that a home might have. Energies in kWh, powers in kW. */
export interface Battery {
  capacityKwh: Billionths;
  chargeKw: Billionths;
  dischargeKw: Billionths;
  /** Share of the charged energy that is stored, 0.5 to 1. */
  roundTripEfficiency: Billionths;
  /** Energy stored in the battery at the start, at most the capacity. */
  initialKwh: Billionths;
}

export interface HomeChange {
  battery: Battery | null;
  /** Factor by which the production is multiplied; null: unchanged. */
  productionScale: Billionths | null;
}

/**
 * Energy that a home exchanges with the grid, by quarter-hour. Before the change, it is in whole mWh; after the change, in the simulation's
 * units.
 */
interface Exchanged<List> {
  imported: List;
  estimated: List;
  exported: List;
}

export interface HomeSimulation {
  /** Number of simulation units in a mWh, chosen so that every energy is a whole number of units. */
  units: bigint;
  before: Exchanged<Float64Array>;
  after: Exchanged<bigint[]>;
  /** Milliseconds of each quarter-hour in which the exchange is known: the whole quarter-hour or 0. */
  coveredMs: Float64Array;
  unknownQuarterHours: number;
  sums: {
    before: SideSums;
    after: SideSums;
    /** Energy used by the home, which the change does not alter. */
    used: bigint;
    charged: bigint;
    discharged: bigint;
    stored: bigint;
    /** Whether production was known for at least one quarter-hour. */
    hasProduction: boolean;
  };
}

interface SideSums {
  imported: bigint;
  exported: bigint;
  /** The part of `exported` that was exported while the home had production or storage. */
  exportedBeside: bigint;
  production: bigint;
}

const BILLION = 1_000_000_000n;
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/**
 * Simulates a home with a change, quarter-hour by quarter-hour (docs/cost.md, "What if"). The computation is exact: all energies are whole
 * numbers of 1/`units` of a mWh, and nothing is rounded before the response. Quarter-hours with unknown energy are skipped. Pure.
 */
export function simulateHome(exchange: HomeEnergyExchange, { battery, productionScale }: HomeChange): HomeSimulation {
  const count = exchange.isKnown.length;
  // The energy of a charge is a multiple of 10^-9 mWh or fills the battery, and the stored energy is a multiple of 10^-18 mWh. The unit is
  // small enough that both energies, divided by the efficiency, are whole numbers.
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
    // In a home without production and storage, all imported energy was used.
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

/** Import and export of a quarter-hour; at least one of the two is 0. */
interface Flow {
  imported: bigint;
  exported: bigint;
}

/**
 * Returns the flow after a change of production. Additional production first reduces the import, and the surplus is exported. With less
 * production (`more` is negative), the export falls first, and the deficit is imported.
 */
function addProduction({ imported, exported }: Flow, more: bigint): Flow {
  if (more >= 0n) {
    const used = min(more, imported);
    return { imported: imported - used, exported: exported + more - used };
  }
  const exportReduction = min(-more, exported);
  return { imported: imported - more - exportReduction, exported: exported - exportReduction };
}

/**
 * Creates a battery with its state. The battery charges from energy that would be exported, and discharges to replace energy that would be
 * imported.
 */
function createBattery(battery: Battery, units: bigint) {
  // A billionth of a kWh is a thousandth of a mWh. A billionth of a kW for a quarter-hour is a quarter of this.
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

/** Energies of a home before or after the change, in the API's format. */
export interface HomeEnergies {
  grid_import_kwh: number;
  grid_export_kwh: number;
  self_consumed_kwh: number | null;
  autarky: number | null;
}

/** Rounds the energies before or after the change, each once from its exact sum: kWh to 3 decimals, autarky down to 3 decimals. Pure. */
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

/** Describes the activity of a simulated battery in the API's format. Pure. */
export function describeBattery({ units, sums }: HomeSimulation, { capacityKwh }: Battery) {
  const cycles = { numerator: sums.discharged * 1_000n, denominator: capacityKwh * units };
  return {
    charged_kwh: roundKwh(sums.charged, units),
    discharged_kwh: roundKwh(sums.discharged, units),
    stored_kwh: roundKwh(sums.stored, units),
    full_cycles: Number(formatRounded(cycles, 2)),
  };
}

/** Whether a change can alter any energy: there is exported energy to store, or production to scale. */
export function canHomeChangeAlterEnergy({ sums }: HomeSimulation, { battery, productionScale }: HomeChange): boolean {
  const isScaled = productionScale !== null && sums.before.production > 0n;
  return isScaled || (battery !== null && sums.before.exported > 0n);
}
