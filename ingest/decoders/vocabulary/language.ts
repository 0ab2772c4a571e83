/** Meaning of a word in a register's name. */
export type WordMeaning =
  /** Taken from the grid; fed into the grid; produced by the measured device, so flowing out of it. */
  | 'import'
  | 'export'
  | 'produced'
  /** Consumed. Means import unless another name is more explicit: drawn, bought or from the grid (registers-of-a-device). */
  | 'consumed'
  /** Returned. The same name without this word is then the import (`energy`, `energy_returned`). */
  | 'returned'
  /**
   * Subject of a quantity: the grid, the home's consumption, solar panels or a generator, a battery. For a battery also the direction of
   * flow.
   */
  | 'grid'
  | 'home'
  | 'sun'
  | 'inverter'
  | 'store'
  | 'charge'
  | 'discharge'
  /** Self-consumption: the part of its own production that a home uses. */
  | 'self'
  /** Production, battery or self-consumption: neither taken from the grid nor fed into it. */
  | 'own'
  /** Source or destination of the flow. Takes precedence over `import` and `export`, which may be said from either end of the wire. */
  | 'fromGrid'
  | 'toGrid'
  /** A counter that resets, or a period that has ended. */
  | 'period'
  /** Lifetime total. Next to a word for a period it is a contradiction: `Cumulative hourly import`. */
  | 'lifetime'
  /** "Day": a tariff if the name mentions tariffs, otherwise a period. */
  | 'day'
  /** Quantities other than active energy, and values that are not measured. */
  | 'reactive'
  | 'apparent'
  | 'cost'
  | 'balance'
  | 'unmeasured'
  | 'gas'
  | 'heat'
  | 'water'
  | 'tariff'
  /** Off-peak hours, and peak hours. */
  | 'low'
  | 'high'
  | 'phase'
  /** Direction that depends on the point of view: `received`, `supplied`. */
  | 'unclear'
  /** Words such as "grid" or "house". Their energy is not that of an inverter. */
  | 'house'
  /** Words without further information: energy, total, meter, articles. */
  | 'plain'
  /** "Capacity": a maximum or, in translated names, an amount of energy that has flowed: `Total charging capacity`. */
  | 'vague'
  /** A device that heats or cools. */
  | 'heats'
  /** Devices that switch. Circuits whose names differ only in the index are then independent of each other. */
  | 'switches'
  | 'meter'
  /** An appliance or a place, which can name a circuit. */
  | 'place';

/** Source in which words were found; `dictionary` means ordinary words of the language that no other source contains. */
type Source =
  | 'domoticz/domoticz www/i18n'
  | 'evcc-io/evcc i18n'
  | 'emsesp/EMS-ESP32 src/core/locale_translations.h'
  | 'wlcrs/huawei_solar translations'
  | 'athombv/node-homey-lib meter_power.json'
  | 'Home Assistant, MQTT and Zigbee2MQTT names that this project has as cases'
  | 'tasmota/docs Smart-Meter-Interface.md'
  | 'IEC 62056-61 (OBIS), as meters print it'
  | 'dictionary';

/**
 * Words of a language, in lower case, with meaning and source. `consum*` stands for all words with that beginning; words joined by `_` form
 * a phrase.
 */
export interface LanguageWords {
  code: string;
  /** Whether the language writes compounds as one word: `Tagesverbrauch`. */
  compounds: boolean;
  words: readonly (readonly [WordMeaning, Source, string])[];
}

export const DOMOTICZ_SOURCE = 'domoticz/domoticz www/i18n';
export const EVCC_SOURCE = 'evcc-io/evcc i18n';
export const EMSESP_SOURCE = 'emsesp/EMS-ESP32 src/core/locale_translations.h';
export const HUAWEI_SOURCE = 'wlcrs/huawei_solar translations';
export const HOMEY_SOURCE = 'athombv/node-homey-lib meter_power.json';
export const TEST_CASES_SOURCE = 'Home Assistant, MQTT and Zigbee2MQTT names that this project has as cases';
export const TASMOTA_SOURCE = 'tasmota/docs Smart-Meter-Interface.md';
export const OBIS_SOURCE = 'IEC 62056-61 (OBIS), as meters print it';
export const DICTIONARY_SOURCE = 'dictionary';
