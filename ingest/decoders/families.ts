import { amsreaderFamily } from './amsreader/decode.ts';
import { ebusdFamily } from './ebusd/decode.ts';
import { emonFamily } from './emon/decode.ts';
import { espurnaFamily } from './espurna/decode.ts';
import type { Family } from './family.ts';
import { growattFamily } from './growatt/decode.ts';
import { homeassistantFamily } from './homeassistant/decode.ts';
import { homieFamily } from './homie/decode.ts';
import { lorawanFamily } from './lorawan/decode.ts';
import { mappingFamily } from './mapping/decode.ts';
import { namesFamily } from './names/decode.ts';
import { openevseFamily } from './openevse/decode.ts';
import { openmqttgatewayFamily } from './openmqttgateway/decode.ts';
import { openwbFamily } from './openwb/decode.ts';
import { p1Family } from './p1/decode.ts';
import { rtl433Family } from './rtl433/decode.ts';
import { rtlamrFamily } from './rtlamr/decode.ts';
import { senmlFamily } from './senml/decode.ts';
import { shellyGen1Family } from './shelly-gen1/decode.ts';
import { shellyGen2Family } from './shelly-gen2/decode.ts';
import { sparkplugFamily } from './sparkplug/decode.ts';
import { statestreamFamily } from './statestream/decode.ts';
import { loadTableFamily } from './tables/engine.ts';
import { tasmotaFamily } from './tasmota/decode.ts';
import { vzloggerFamily } from './vzlogger/decode.ts';
import { warpFamily } from './warp/decode.ts';
import { wmbusmetersFamily } from './wmbusmeters/decode.ts';
import { zigbee2mqttFamily } from './zigbee2mqtt/decode.ts';
import { zwavejsFamily } from './zwavejs/decode.ts';

/**
 * Families of devices in order of precedence: the first family that recognises a message decodes it.
 * - The owner's mapping comes first, because the owner's setting overrides every guess.
 * - The generic family (Home Assistant discovery) comes after the families with topics of their own, so that a device is not read twice.
 * - The families after the generic one decode devices that have not announced themselves. An announcement takes precedence, because it
 *   contains more facts than the topic, or a unit that the messages lack.
 * - Last comes the family of names, which reads what no other family recognises.
 */
export const FAMILIES: readonly Family[] = [
  mappingFamily,
  loadTableFamily('glow'),
  tasmotaFamily,
  loadTableFamily('otgw'),
  zigbee2mqttFamily,
  loadTableFamily('dsmr-api'),
  loadTableFamily('dsmr-reader'),
  loadTableFamily('dsmr2mqtt'),
  p1Family,
  loadTableFamily('p1meter'),
  loadTableFamily('p1monitor'),
  loadTableFamily('smlreader'),
  amsreaderFamily,
  openwbFamily,
  loadTableFamily('heishamon'),
  wmbusmetersFamily,
  shellyGen2Family,
  shellyGen1Family,
  sparkplugFamily,
  // OpenEVSE comes before emon: its chargers may publish below emon/, with other units for the same names.
  openevseFamily,
  emonFamily,
  rtl433Family,
  rtlamrFamily,
  growattFamily,
  loadTableFamily('iammeter'),
  loadTableFamily('mbmd'),
  vzloggerFamily,
  senmlFamily,
  homieFamily,
  loadTableFamily('evcc'),
  loadTableFamily('ferroamp'),
  loadTableFamily('victron'),
  loadTableFamily('opendtu'),
  loadTableFamily('ahoydtu'),
  loadTableFamily('solaredge2mqtt'),
  warpFamily,
  openmqttgatewayFamily,
  lorawanFamily,
  homeassistantFamily,
  zwavejsFamily,
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
  ebusdFamily,
  statestreamFamily,
  loadTableFamily('emsesp'),
  espurnaFamily,
  // These families recognise messages by their payloads. They come late, so that they search only payloads that no earlier family has
  // recognised.
  loadTableFamily('sbfspot'),
  loadTableFamily('homewizard'),
  loadTableFamily('huawei'),
  loadTableFamily('youless'),
  namesFamily,
];
