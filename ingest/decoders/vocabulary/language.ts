/** What a word of a register's name says. */
export type Concept =
  /** Taken from the grid; fed to it; made by what is measured, which is out of it. */
  | 'import'
  | 'export'
  | 'produced'
  /** Used up: import where nothing says that it is drawn, bought or of the grid (registers-of-a-device). */
  | 'consumed'
  /** Given back: beside the same name without it, that one is what was taken (`energy`, `energy_returned`). */
  | 'returned'
  /** What it is of: the grid, what a home uses, a roof or a generator, a store; of the store which way. */
  | 'grid'
  | 'home'
  | 'sun'
  | 'inverter'
  | 'store'
  | 'charge'
  | 'discharge'
  /** What a home uses of its own production. */
  | 'self'
  /** Of a roof, a battery, or what a home uses of its own: neither taken from the grid nor fed to it. */
  | 'own'
  /** Where it flows from or to: goes before `import` and `export`, which can be said from either end of the wire. */
  | 'fromGrid'
  | 'toGrid'
  /** Starts again by itself, or is of a time that is over. */
  | 'period'
  /** Since ever, which beside a period contradicts it: `Cumulative hourly import`. */
  | 'lifetime'
  /** A day, which is a tariff where one is spoken of, and else a period. */
  | 'day'
  /** Not active energy, or not measured. */
  | 'reactive'
  | 'apparent'
  | 'cost'
  | 'balance'
  | 'unmeasured'
  | 'gas'
  | 'heat'
  | 'water'
  | 'tariff'
  /** The cheap hours, and the others. */
  | 'low'
  | 'high'
  | 'phase'
  /** A direction that can be either: `received`, `supplied`. */
  | 'unclear'
  /** The grid, a house: whose energy is no inverter's own. */
  | 'house'
  /** Says nothing but that it is energy, a total, a meter; articles. */
  | 'plain'
  /** How much there is room for, and in translated names what has flowed: `Total charging capacity`. */
  | 'vague'
  /** A device that heats or cools. */
  | 'heats'
  /** What switches: circuits that differ by its index alone are side by side. */
  | 'switches'
  | 'meter'
  /** An appliance or a place, after which a circuit is called. */
  | 'place';

/** Where words were found; `dictionary`: in none of the others, but plain words of the language. */
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
 * Words of a language, in lower case, by what they say and where they were found. `consum*` is whatever begins like that; words
 * joined by `_` are one, said after each other.
 */
export interface Language {
  code: string;
  /** Whether words are written together: `Tagesverbrauch`. */
  compounds: boolean;
  words: readonly (readonly [Concept, Source, string])[];
}

export const DOMOTICZ = 'domoticz/domoticz www/i18n';
export const EVCC = 'evcc-io/evcc i18n';
export const EMSESP = 'emsesp/EMS-ESP32 src/core/locale_translations.h';
export const HUAWEI = 'wlcrs/huawei_solar translations';
export const HOMEY = 'athombv/node-homey-lib meter_power.json';
export const CASES = 'Home Assistant, MQTT and Zigbee2MQTT names that this project has as cases';
export const TASMOTA = 'tasmota/docs Smart-Meter-Interface.md';
export const OBIS = 'IEC 62056-61 (OBIS), as meters print it';
export const DICTIONARY = 'dictionary';
