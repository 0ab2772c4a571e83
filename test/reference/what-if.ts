import { type CostedQuarterHour, ExactRatio } from './cost.ts';

/**
 * A second, independent computation of a home with a battery or more production, in exact fractions. It uses the formulas in the
 * description of the interface, and shares no code with the service.
 */

/** Energies of a home in a quarter-hour, mWh. */
export interface HomeQuarterHour {
  known: boolean;
  imported: number;
  estimated: number;
  exported: number;
  production: number;
  charged: number;
  discharged: number;
  /** Whether the home has production or storage. */
  hasSources: boolean;
}

/** The requested change. Its numbers are texts, as written in the JSON of the request. */
export interface ApiWhatIfChange {
  battery?: {
    capacity_kwh: string;
    charge_kw: string;
    discharge_kw: string;
    round_trip_efficiency: string;
    initial_kwh?: string;
  };
  production_scale?: string;
}

interface Side {
  quarters: CostedQuarterHour<ExactRatio>[];
  grid_import_kwh: number;
  grid_export_kwh: number;
  self_consumed_kwh: number | null;
  autarky: number | null;
}

const ZERO = new ExactRatio(0n);
const MWH_PER_KWH = new ExactRatio(1_000_000n);
const HOUR = new ExactRatio(1n, 4n);
const of = (milliwattHours: number) => new ExactRatio(BigInt(milliwattHours));
const least = (...all: ExactRatio[]) => all.reduce((a, b) => (b.isBelow(a) ? b : a));
const notNegative = (one: ExactRatio) => (one.isBelow(ZERO) ? ZERO : one);
const sumOf = (all: ExactRatio[]) => all.reduce((a, b) => a.plus(b), ZERO);
const over = (one: ExactRatio, other: ExactRatio) => one.times(new ExactRatio(other.bottom, other.top));
const kwh = (one: ExactRatio) => Number(over(one, MWH_PER_KWH).text(3));

/** Returns the home's results without and with the change, and the energy that the battery charged and discharged. */
export function computeReferenceWhatIf(
  home: readonly HomeQuarterHour[],
  { battery, production_scale = '1' }: ApiWhatIfChange,
) {
  const scale = ExactRatio.of(production_scale);
  const written = (text = '0') => ExactRatio.of(text).times(MWH_PER_KWH);
  const capacity = written(battery?.capacity_kwh);
  const efficiency = ExactRatio.of(battery?.round_trip_efficiency ?? '1');
  let stored = written(battery?.initial_kwh);
  let [charged, discharged] = [ZERO, ZERO];
  const [before, after]: [CostedQuarterHour<ExactRatio>[], CostedQuarterHour<ExactRatio>[]] = [[], []];
  for (const quarter of home) {
    if (!quarter.known) {
      const nothing = { imported: ZERO, estimated: ZERO, exported: ZERO, known: false };
      before.push(nothing);
      after.push(nothing);
      continue;
    }
    const net = of(quarter.imported).minus(of(quarter.exported));
    let [imported, exported] = [notNegative(net), notNegative(ZERO.minus(net))];
    const estimated = least(of(quarter.estimated), imported);
    before.push({ imported, exported, estimated, known: true });
    // More production reduces the import or increases the export. Import minus export therefore falls by the additional production.
    const shifted = imported.minus(exported).minus(scale.minus(new ExactRatio(1n)).times(of(quarter.production)));
    [imported, exported] = [notNegative(shifted), notNegative(ZERO.minus(shifted))];
    if (battery) {
      const room = over(capacity.minus(stored), efficiency);
      const charge = least(exported, written(battery.charge_kw).times(HOUR), room);
      stored = stored.plus(charge.times(efficiency));
      const discharge = least(imported, written(battery.discharge_kw).times(HOUR), stored);
      stored = stored.minus(discharge);
      [charged, discharged] = [charged.plus(charge), discharged.plus(discharge)];
      [imported, exported] = [imported.minus(discharge), exported.minus(charge)];
    }
    after.push({ imported, exported, estimated: least(of(quarter.estimated), imported), known: true });
  }
  return {
    before: describe(home, before, new ExactRatio(1n)),
    after: describe(home, after, scale),
    battery: battery && {
      charged_kwh: kwh(charged),
      discharged_kwh: kwh(discharged),
      stored_kwh: kwh(stored),
      full_cycles: Number(over(discharged, capacity).text(2)),
    },
    unknownQuarterHours: home.filter(({ known }) => !known).length,
  };
}

function describe(
  home: readonly HomeQuarterHour[],
  quarters: CostedQuarterHour<ExactRatio>[],
  scale: ExactRatio,
): Side {
  const known = home.flatMap((quarter, at) =>
    quarter.known ? [{ ...quarter, side: quarters[at] as CostedQuarterHour<ExactRatio> }] : [],
  );
  const imported = sumOf(known.map(({ side }) => side.imported));
  const beside = known.filter(({ hasSources }) => hasSources);
  const produced = sumOf(beside.map(({ production }) => of(production))).times(scale);
  const usedDirectly = produced.minus(sumOf(beside.map(({ side }) => side.exported)));
  const netOf = (one: HomeQuarterHour) => of(one.imported).minus(of(one.exported));
  const balance = sumOf(
    known.map((one) => {
      if (!one.hasSources) return notNegative(netOf(one));
      return netOf(one).plus(of(one.production)).plus(of(one.discharged)).minus(of(one.charged));
    }),
  );
  const floor = sumOf(known.map((one) => notNegative(netOf(one)).minus(of(one.charged))));
  const bound = balance.isBelow(floor) ? floor : balance;
  const used = notNegative(bound);
  const share = ZERO.isBelow(used) ? over(notNegative(used.minus(imported)), used) : null;
  return {
    quarters,
    grid_import_kwh: kwh(imported),
    grid_export_kwh: kwh(sumOf(known.map(({ side }) => side.exported))),
    self_consumed_kwh: beside.length > 0 ? kwh(notNegative(usedDirectly)) : null,
    autarky: share && Number((share.top * 1_000n) / share.bottom) / 1_000,
  };
}
