import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createPublishSplitter, MalformedPacketError, type PublishCallback } from './publish-packets.ts';

const VERSION = { protocolVersion: 5 };
const bytesOf = (packet: Packet): Buffer => generate(packet, VERSION);

const publish = fc.record({
  topic: fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 90 }),
    fc.integer({ min: 100, max: 40_000 }).map((length) => new Uint8Array(length).fill(7)),
  ),
  qos: fc.constantFrom(0 as const, 1 as const),
  dup: fc.boolean(),
  retain: fc.boolean(),
  messageId: fc.integer({ min: 1, max: 65_535 }),
  properties: fc.option(
    fc.record({
      contentType: fc.string({ maxLength: 200 }),
      messageExpiryInterval: fc.nat(),
      userProperties: fc.constant<Record<string, string | string[]>>({ a: 'b', c: ['d', 'e'] }),
    }),
    { nil: undefined },
  ),
});
const other = fc.constantFrom<Packet>(
  { cmd: 'connack', reasonCode: 0, sessionPresent: true, properties: { maximumQoS: 1 } },
  { cmd: 'suback', messageId: 7, granted: [1, 1, 128] },
  { cmd: 'unsuback', messageId: 8, granted: [0] },
  { cmd: 'pingresp' },
  { cmd: 'disconnect', reasonCode: 0x8e },
);

function* piecesOf(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] as number);
    yield bytes.subarray(at, end);
    at = end;
  }
}

test('separates packets written by mqtt-packet, however the stream is cut: each message once and in order, other packets unchanged', () => {
  const packets = fc.array(
    fc.oneof({ weight: 3, arbitrary: publish }, { weight: 1, arbitrary: other.map((packet) => ({ packet })) }),
    { maxLength: 12 },
  );
  const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 70_000 })), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(packets, lengths, (sent, cut) => {
      // Compares strings, because comparing bytes is a thousand times slower here.
      const describePacket = (...[topic, payload, packetId, isRetained]: Parameters<PublishCallback>) =>
        [topic, payload.toString('latin1'), packetId, isRetained] as const;
      const expected: ReturnType<typeof describePacket>[] = [];
      const others: Buffer[] = [];
      const stream: Buffer[] = [];
      for (const one of sent) {
        if ('packet' in one) {
          others.push(bytesOf(one.packet));
          stream.push(bytesOf(one.packet));
          continue;
        }
        const { properties, ...rest } = one;
        const payload = Buffer.from(one.payload);
        stream.push(bytesOf({ cmd: 'publish', ...rest, payload, ...(properties && { properties }) }));
        const packetId = one.qos === 1 ? one.messageId : null;
        expected.push(describePacket(one.topic, payload, packetId, one.retain));
      }
      const taken: typeof expected = [];
      const read = createPublishSplitter((...message) => taken.push(describePacket(...message)));
      const otherPackets: Buffer[] = [];
      for (const piece of piecesOf(Buffer.concat(stream), cut)) otherPackets.push(...read(piece));
      expect(taken).toEqual(expected);
      expect(Buffer.concat(otherPackets).equals(Buffer.concat(others))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('reports garbage as malformed or passes it on to mqtt.js, and never reads before the start of the received bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }), (pieces) => {
      let length = 0;
      const read = createPublishSplitter((topic, payload) => {
        expect(payload.length).toBeLessThan(length);
        expect(topic.length).toBeGreaterThan(0);
      });
      try {
        for (const piece of pieces) {
          length += piece.length;
          read(Buffer.from(piece));
        }
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedPacketError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['a length of five bytes', [0x30, 0xff, 0xff, 0xff, 0xff, 1]],
  ['QoS 2, which nobody asked for', [0x34, 6, 0, 1, 116, 0, 1, 0]],
  ['QoS 3', [0x36, 6, 0, 1, 116, 0, 1, 0]],
  ['a topic that is longer than its packet', [0x30, 4, 0, 9, 116, 0]],
  ['no room for a topic', [0x30, 1, 0]],
  ['a topic alias in place of a topic', [0x30, 6, 0, 0, 3, 0x23, 0, 1]],
  ['no packet identifier', [0x32, 4, 0, 1, 116, 0]],
  ['no properties', [0x30, 3, 0, 1, 116]],
  ['properties that are longer than their packet', [0x30, 5, 0, 1, 116, 9, 0]],
])('reports %s as malformed', (_, bytes) => {
  const read = createPublishSplitter(() => expect.unreachable());
  expect(() => read(Buffer.from(bytes))).toThrow(MalformedPacketError);
});
