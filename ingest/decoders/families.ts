import { dsmrApi } from './dsmr-api/decode.ts';
import { dsmrReader } from './dsmr-reader/decode.ts';
import { dsmr2mqtt } from './dsmr2mqtt/decode.ts';
import { ebusd } from './ebusd/decode.ts';
import { emon } from './emon/decode.ts';
import { evcc } from './evcc/decode.ts';
import type { Family } from './family.ts';
import { glow } from './glow/decode.ts';
import { goE } from './go-e/decode.ts';
import { homeassistant } from './homeassistant/decode.ts';
import { homie } from './homie/decode.ts';
import { mapping } from './mapping/decode.ts';
import { otgw } from './otgw/decode.ts';
import { p1 } from './p1/decode.ts';
import { rtl433 } from './rtl433/decode.ts';
import { rtlamr } from './rtlamr/decode.ts';
import { senml } from './senml/decode.ts';
import { shellyGen1 } from './shelly-gen1/decode.ts';
import { shellyGen2 } from './shelly-gen2/decode.ts';
import { sparkplug } from './sparkplug/decode.ts';
import { statestream } from './statestream/decode.ts';
import { tasmota } from './tasmota/decode.ts';
import { victron } from './victron/decode.ts';
import { wmbusmeters } from './wmbusmeters/decode.ts';
import { zigbee2mqtt } from './zigbee2mqtt/decode.ts';
import { zwavejs } from './zwavejs/decode.ts';

/**
 * Families of devices, in the order in which they are asked; a message is the first one's that takes it. The generic layer
 * (Home Assistant discovery) comes after them: what a family reads by itself is not read by what it announces, too. Behind it
 * are those whose announcements say more than their topics. What an owner maps himself comes first: his word is above every guess.
 */
export const FAMILIES: readonly Family[] = [
  mapping,
  glow,
  tasmota,
  otgw,
  zigbee2mqtt,
  dsmrApi,
  dsmrReader,
  dsmr2mqtt,
  p1,
  wmbusmeters,
  shellyGen2,
  shellyGen1,
  sparkplug,
  emon,
  rtl433,
  rtlamr,
  senml,
  homie,
  evcc,
  victron,
  homeassistant,
  zwavejs,
  goE,
  ebusd,
  statestream,
];
