/** What the words of names mean, as firmware and owners choose them. */

const setOf = (words: string) => new Set(words.split(' '));
export const EXPORT = setOf(
  'export exports exported exporting return returns returned injection injected injectie feedin einspeisung teruglevering terug produced production producing sold sell',
);
export const IMPORT = setOf(
  'import imports imported importing delivered delivery consumed consumption usage used bezug verbrauch verbruik afname',
);
export const RESETS = setOf(
  'today todays yesterday daily hourly weekly monthly yearly annual hour day week month quarter year session trip last previous heute gestern vandaag gisteren',
);
export const UNMEASURED = setOf(
  'forecast predicted estimated estimate limit max maximum min minimum peak rated nominal target setpoint average avg',
);
export const OWN = setOf(
  'solar pv photovoltaic inverter yield yieldtotal yieldday generation generated panel panels battery batteries',
);
/** Of whose energy the word `export` is said all the same. */
export const FED = setOf(
  'export exports exported exporting return returns returned injection injected feedin einspeisung teruglevering',
);
/** An inverter by its name, and what it says of the house behind it. */
export const SOLAR = setOf('solar pv photovoltaic microinverter');
export const HOUSE = setOf('grid mains house home load import imported');
export const HEAT = setOf('heat thermal warmth warmte waerme fernwaerme');
/** Words that tell no circuit from another. */
export const PLAIN = setOf(
  'energy power electricity electric electrical total sum sums active meter smartmeter grid net mains kwh wh mwh kw w watt watts current currently actual now instant instantaneous counter reading register value sensor state lifetime cumulative accumulated overall positive negative gas from to in out feed the of tariff tarif tarief rate tier phase draw demand use energie strom stroom leistung wirkleistung vermogen gesamt totaal zaehlerstand',
);
export const RATE = setOf('tariff tarif tarief rate tier');
export const TARIFF = /^(?:tariff?|tarief|tier|rate|t)(\d{1,2})$/;
export const PHASE = /^(?:l|phase|ph)([1-3abc])$/;
/** `1.8.1`, `2_8_0`: import or export, and the tariff; 7 is power. */
export const OBIS = /(?:^|\D)([12])[._-]([78])[._-](\d)(?!\d)/;
/** Words that a channel name gives a meaning to, and a circuit must not be called. */
export const TAKEN = /^(?:import|export|gas|heat|water|[tl]\d+)$/;
