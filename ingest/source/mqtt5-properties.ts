import { REASON_CODES, RefusedPacketError } from './reason-codes.ts';

/** Packet type by its name in mqtt-packet, or `will`: the will in a CONNECT has properties of its own. */
type Place = string;
type Kind = 'flag' | 'int16' | 'int32' | 'var' | 'string' | 'binary' | 'pair';
type Value = number | string | Buffer | { name: string | null; value: string | null } | null | undefined | false;

/** Properties that a client may send (MQTT 5, 2.2.2.2), and the packets in which they may occur. */
const PROPERTIES: readonly (readonly [id: number, name: string, kind: Kind, places: string])[] = [
  [0x01, 'payloadFormatIndicator', 'flag', 'publish will'],
  [0x02, 'messageExpiryInterval', 'int32', 'publish will'],
  [0x03, 'contentType', 'string', 'publish will'],
  [0x08, 'responseTopic', 'string', 'publish will'],
  [0x09, 'correlationData', 'binary', 'publish will'],
  [0x0b, 'subscriptionIdentifier', 'var', 'subscribe'],
  [0x11, 'sessionExpiryInterval', 'int32', 'connect disconnect'],
  [0x15, 'authenticationMethod', 'string', 'connect auth'],
  [0x16, 'authenticationData', 'binary', 'connect auth'],
  [0x17, 'requestProblemInformation', 'flag', 'connect'],
  [0x18, 'willDelayInterval', 'int32', 'will'],
  [0x19, 'requestResponseInformation', 'flag', 'connect'],
  [0x1f, 'reasonString', 'string', 'puback pubrec pubrel pubcomp disconnect auth'],
  [0x21, 'receiveMaximum', 'int16', 'connect'],
  [0x22, 'topicAliasMaximum', 'int16', 'connect'],
  [0x23, 'topicAlias', 'int16', 'publish'],
  [
    0x26,
    'userProperties',
    'pair',
    'connect will publish puback pubrec pubrel pubcomp subscribe unsubscribe disconnect auth',
  ],
  [0x27, 'maximumPacketSize', 'int32', 'connect'],
];
const BY_ID = new Map(
  PROPERTIES.map(([id, name, kind, places]) => [id, { name, kind, places: new Set(places.split(' ')) }]),
);

/** Packets that may end before the length of their properties (MQTT 5, 3.4.2.2.1 and 3.14.2.2.1). */
const SHORT: ReadonlySet<Place> = new Set(['puback', 'pubrec', 'pubrel', 'pubcomp', 'disconnect', 'auth']);

/** Internal state of mqtt-packet's parser while it reads a packet. */
interface Parsing {
  _pos: number;
  packet: { cmd: Place; length: number; clientId?: string };
  _parseVarByteNum(): number | false;
  _parseByte(): number | undefined;
  _parseByType(kind: string): Value;
  _emitError(error: Error): void;
  _parseProperties(): Record<string, unknown>;
}

/**
 * Makes a parser of mqtt-packet reject malformed properties (MQTT 5, 2.2.2 and 4.13), for example duplicate or incomplete ones. By itself,
 * mqtt-packet rejects only unknown properties and may read beyond the end of the packet.
 */
export function rejectMalformedProperties(parser: object): void {
  const parsing = parser as Parsing;
  parsing._parseProperties = () => {
    const found: Record<string, unknown> = {};
    const fault = readProperties(parsing, found);
    if (fault === null) return found;
    parsing._emitError(new RefusedPacketError(`malformed packet: ${fault}`, REASON_CODES.malformed));
    return {};
  };
}

/** Reads properties into `found`. Returns null, or the reason why they are malformed. */
function readProperties(parsing: Parsing, found: Record<string, unknown>): string | null {
  const { packet } = parsing;
  if (parsing._pos >= packet.length && SHORT.has(packet.cmd)) return null;
  const place = packet.cmd === 'connect' && packet.clientId !== undefined ? 'will' : packet.cmd;
  const length = parsing._parseVarByteNum();
  const end = parsing._pos + (length || 0);
  if (length === false || end > packet.length) return 'properties of a wrong length';
  while (parsing._pos < end) {
    const id = parsing._parseByte() ?? 0;
    const property = BY_ID.get(id);
    if (!property?.places.has(place)) return `property ${id} in ${place.toUpperCase()}`;
    const { name, kind } = property;
    if (name in found && kind !== 'pair') return `doubled property ${name}`;
    const value = parsing._parseByType(kind === 'flag' ? 'int8' : kind);
    if (!isWellFormed(kind, value)) return `value of property ${name}`;
    found[name] = kind === 'pair' ? true : value;
  }
  return parsing._pos === end ? null : 'properties beyond their length';
}

function isWellFormed(kind: Kind, value: Value): boolean {
  // mqtt-packet's parser returns null, undefined, false or -1 if the packet ends too early.
  if (value === null || value === undefined || value === false || value === -1) return false;
  if (kind === 'flag') return value === 0 || value === 1;
  return typeof value !== 'object' || Buffer.isBuffer(value) || (value.name !== null && value.value !== null);
}
