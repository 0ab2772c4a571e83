import protobuf from 'protobufjs/light.js';

const optional = (type: string, id: number) => ({ type, id });
const repeated = (type: string, id: number) => ({ rule: 'repeated', type, id });

/**
 * The fields of a Sparkplug B payload that are read, by the numbers of the specification. Data sets, templates and files are
 * left out, so they are skipped unseen, and nothing nests without end. Metrics are bytes here, and opened one by one: a broken
 * one takes no others with it.
 */
const root = protobuf.Root.fromJSON({
  nested: {
    Payload: {
      edition: 'proto2',
      fields: {
        timestamp: optional('uint64', 1),
        metrics: repeated('bytes', 2),
        seq: optional('uint64', 3),
        uuid: optional('string', 4),
        body: optional('bytes', 5),
      },
    },
    Metric: {
      edition: 'proto2',
      fields: {
        name: optional('string', 1),
        alias: optional('uint64', 2),
        timestamp: optional('uint64', 3),
        datatype: optional('uint32', 4),
        isHistorical: optional('bool', 5),
        isTransient: optional('bool', 6),
        isNull: optional('bool', 7),
        properties: optional('Properties', 9),
        intValue: optional('uint32', 10),
        longValue: optional('uint64', 11),
        floatValue: optional('float', 12),
        doubleValue: optional('double', 13),
        booleanValue: optional('bool', 14),
        stringValue: optional('string', 15),
      },
    },
    Properties: {
      edition: 'proto2',
      fields: { keys: repeated('string', 1), values: repeated('Property', 2) },
    },
    Property: {
      edition: 'proto2',
      fields: { isNull: optional('bool', 2), stringValue: optional('string', 8) },
    },
  },
});

export const PAYLOAD = root.lookupType('Payload');
export const METRIC = root.lookupType('Metric');
