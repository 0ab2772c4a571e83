import { amsreader } from './amsreader/decode.ts';
import { ebusd } from './ebusd/decode.ts';
import { emon } from './emon/decode.ts';
import { espurna } from './espurna/decode.ts';
import type { Family } from './family.ts';
import { growatt } from './growatt/decode.ts';
import { homeassistant } from './homeassistant/decode.ts';
import { homie } from './homie/decode.ts';
import { lorawan } from './lorawan/decode.ts';
import { mapping } from './mapping/decode.ts';
import { names } from './names/decode.ts';
import { openevse } from './openevse/decode.ts';
import { openmqttgateway } from './openmqttgateway/decode.ts';
import { openwb } from './openwb/decode.ts';
import { p1 } from './p1/decode.ts';
import { rtl433 } from './rtl433/decode.ts';
import { rtlamr } from './rtlamr/decode.ts';
import { senml } from './senml/decode.ts';
import { shellyGen1 } from './shelly-gen1/decode.ts';
import { shellyGen2 } from './shelly-gen2/decode.ts';
import { sparkplug } from './sparkplug/decode.ts';
import { statestream } from './statestream/decode.ts';
import { loadTableFamily } from './tables/engine.ts';
import { tasmota } from './tasmota/decode.ts';
import { vzlogger } from './vzlogger/decode.ts';
import { warp } from './warp/decode.ts';
import { wmbusmeters } from './wmbusmeters/decode.ts';
import { zigbee2mqtt } from './zigbee2mqtt/decode.ts';
import { zwavejs } from './zwavejs/decode.ts';

/**
 * Families of devices in order of precedence: the first family that recognises a message decodes it.
 * - The owner's mapping comes first, because the owner's setting overrides every guess.
 * - The generic family (Home Assistant discovery) comes after the families with topics of their own, so that a device is not read twice.
 * - After it come families that are usually announced by discovery and read only the rest, families whose announcements say more than their
 *   topics, and families whose messages have no unit.
 * - Last comes the family of names, which reads what no other family recognises.
 */
export const FAMILIES: readonly Family[] = [
  mapping,
  loadTableFamily('glow'),
  tasmota,
  loadTableFamily('otgw'),
  zigbee2mqtt,
  loadTableFamily('dsmr-api'),
  loadTableFamily('dsmr-reader'),
  loadTableFamily('dsmr2mqtt'),
  p1,
  loadTableFamily('p1meter'),
  loadTableFamily('p1monitor'),
  loadTableFamily('smlreader'),
  amsreader,
  openwb,
  loadTableFamily('heishamon'),
  wmbusmeters,
  shellyGen2,
  shellyGen1,
  sparkplug,
  // OpenEVSE comes before emon: its chargers may publish below emon/, with other units for the same names.
  openevse,
  emon,
  rtl433,
  rtlamr,
  growatt,
  loadTableFamily('iammeter'),
  loadTableFamily('mbmd'),
  vzlogger,
  senml,
  homie,
  loadTableFamily('evcc'),
  loadTableFamily('victron'),
  loadTableFamily('opendtu'),
  loadTableFamily('ahoydtu'),
  loadTableFamily('solaredge2mqtt'),
  warp,
  openmqttgateway,
  lorawan,
  homeassistant,
  zwavejs,
  loadTableFamily('go-e'),
  loadTableFamily('deye-inverter-mqtt'),
  loadTableFamily('homematic'),
  loadTableFamily('domoticz'),
  loadTableFamily('marstek'),
  loadTableFamily('enphase'),
  loadTableFamily('openbeken'),
  loadTableFamily('teleinfo2mqtt'),
  loadTableFamily('givtcp'),
  loadTableFamily('solarassistant'),
  loadTableFamily('ai-on-the-edge'),
  loadTableFamily('everblu'),
  loadTableFamily('gosdm630'),
  loadTableFamily('hoymiles'),
  loadTableFamily('p1ib'),
  loadTableFamily('rscp2mqtt'),
  loadTableFamily('smartmeter2mqtt'),
  loadTableFamily('sungrow'),
  loadTableFamily('zendure'),
  loadTableFamily('lxp-bridge'),
  loadTableFamily('smartevse'),
  loadTableFamily('teleinfokit'),
  ebusd,
  statestream,
  loadTableFamily('emsesp'),
  espurna,
  // Families that recognise messages by their bodies. They come late, because they would search the bodies of all messages for families
  // after them.
  loadTableFamily('sbfspot'),
  loadTableFamily('homewizard'),
  loadTableFamily('huawei'),
  loadTableFamily('youless'),
  names,
];
