/** What the words of names mean, as firmware and owners choose them. */

const setOf = (words: string) => new Set(words.split(' '));
export const EXPORT = setOf(
  'export exports exported exporting return returns returned injection injected injectie feedin einspeisung teruglevering terug produced production producing sold sell',
);
export const IMPORT = setOf(
  'import imports imported importing delivered delivery consumed consumption usage used bezug verbrauch verbruik afname',
);
/** An inverter by its name, and what it says of the house behind it. */
export const SOLAR = setOf('solar pv photovoltaic microinverter');
export const HEAT = setOf('heat thermal warmth warmte waerme fernwaerme');
/** Words that tell no circuit from another. */
export const PLAIN = setOf(
  'energy power electricity electric electrical total sum sums active meter smartmeter grid net mains kwh wh mwh kw w watt watts current currently actual now instant instantaneous counter reading register value sensor state lifetime cumulative accumulated overall positive negative gas from to in out feed the of tariff tarif tarief rate tier phase draw demand use energie strom stroom leistung wirkleistung vermogen gesamt totaal zaehlerstand',
);
export const RATE = setOf('tariff tarif tarief rate tier');
export const TARIFF = /^(?:tariff?|tarief|tier|rate|t)(\d{1,2})$/;
export const PHASE = /^(?:l|phase|ph)([1-3abc])$/;
/** Words that a channel name gives a meaning to, and a circuit must not be called. */
export const TAKEN = /^(?:import|export|gas|heat|water|[tl]\d+)$/;
