import { ahoydtu } from './ahoydtu/decode.ts';
import { dsmrApi } from './dsmr-api/decode.ts';
import { dsmrReader } from './dsmr-reader/decode.ts';
import { dsmr2mqtt } from './dsmr2mqtt/decode.ts';
import { emon } from './emon/decode.ts';
import { espurna } from './espurna/decode.ts';
import type { Family } from './family.ts';
import { glow } from './glow/decode.ts';
import { homeassistant } from './homeassistant/decode.ts';
import { homie } from './homie/decode.ts';
import { lorawan } from './lorawan/decode.ts';
import { opendtu } from './opendtu/decode.ts';
import { openmqttgateway } from './openmqttgateway/decode.ts';
import { otgw } from './otgw/decode.ts';
import { p1 } from './p1/decode.ts';
import { rtl433 } from './rtl433/decode.ts';
import { rtlamr } from './rtlamr/decode.ts';
import { senml } from './senml/decode.ts';
import { shellyGen1 } from './shelly-gen1/decode.ts';
import { shellyGen2 } from './shelly-gen2/decode.ts';
import { solaredge2mqtt } from './solaredge2mqtt/decode.ts';
import { sparkplug } from './sparkplug/decode.ts';
import { tasmota } from './tasmota/decode.ts';
import { warp } from './warp/decode.ts';
import { wmbusmeters } from './wmbusmeters/decode.ts';
import { zigbee2mqtt } from './zigbee2mqtt/decode.ts';

/**
 * Families of devices, in the order in which they are asked; a message is the first one's that takes it. The generic layer
 * (Home Assistant discovery) comes after them: what a family reads by itself is not read by what it announces, too. After it come those whose messages have no
 * unit, where an announcement tells more.
 */
export const FAMILIES: readonly Family[] = [
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
  opendtu,
  ahoydtu,
  solaredge2mqtt,
  warp,
  openmqttgateway,
  lorawan,
  homeassistant,
  espurna,
];
