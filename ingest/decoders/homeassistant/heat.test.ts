import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeMessage } from '#ingest/decoders/describe.ts';

const NOW = Date.UTC(2026, 10, 28, 15);

interface Announced {
  energy: string;
  topic: string;
  device: object;
  temperatures: readonly string[];
}

/**
 * Returns the channels of a device's energy if the device also announces the given temperatures. The result is `?` if the owner is asked
 * for the meaning.
 */
function channelsOf({ energy, topic, device, temperatures }: Announced): string[] {
  const config = (name: string, at: number, more: object) => ({
    topic: `homeassistant/sensor/x1_${at}/config`,
    payload: Buffer.from(
      JSON.stringify({
        ...{ name, unique_id: `x1_${at}`, state_topic: topic, device },
        ...{ value_template: `{{ value_json.v${at} }}`, ...more },
      }),
    ),
  });
  const prior = [
    config(energy, 0, { device_class: 'energy', state_class: 'total_increasing', unit_of_measurement: 'kWh' }),
    ...temperatures.map((name, at) => config(name, at + 1, { device_class: 'temperature', unit_of_measurement: '°C' })),
  ];
  const message = { topic, payload: Buffer.from('{"v0": 7, "v1": 60, "v2": 40}'), receivedAtMs: NOW, replayed: false };
  const read = describeMessage(message, {}, prior);
  const counted = (read?.readings ?? []).flatMap(({ kind, channel }) => (kind === 'energy_total_kwh' ? channel : []));
  return [...counted, ...(read?.asks ?? []).map(() => '?')];
}

const plain = { energy: 'Energy', topic: 'meters/x1', device: { identifiers: ['x1'] }, temperatures: [] };
const maker = (model: string) => ({ identifiers: ['x1'], name: 'KAM 67211183', manufacturer: 'KAM', model });
const circuit = fc
  .record({
    flow: fc.constantFrom('Flow', 'Supply', 'Vorlauf', 'Aanvoer', 'Framledning', 'Départ', 'Mandata', 'Inlet'),
    back: fc.constantFrom('Return', 'Rücklauf', 'Ruecklauf', 'Retour', 'Ritorno', 'Outlet'),
  })
  .map(({ flow, back }) => [`${flow} temperature`, `${back} temperature`]);
const energies = fc.constantFrom('Energy', 'Total energy', 'Energy total', 'Total', 'Gesamt', 'Meter reading');
const consumed = fc.constantFrom('Total energy consumption', 'Verbrauch', 'Consumption');
const buses = fc.constantFrom(
  'libmbus2mqtt/device/2/state',
  'mbus/5',
  'home/wM-Bus/7',
  'gombus2mqtt/3/state',
  'm-bus/1',
  'opentherm/state',
);
const heatMeters = fc.constantFrom(
  ...[
    'Heat: Outlet',
    'Heat: Inlet',
    'Heat / Cooling load meter',
    'Heat meter',
    'Wärmemengenzähler',
    'WMZ',
    'MULTICAL 603',
  ],
);

test('never counts as electricity what may be heat: on an M-Bus, or next to a flow and its return', () => {
  const doubtful = fc.oneof(
    fc.record({ energy: fc.oneof(energies, consumed), topic: buses }),
    fc.record({ energy: energies, temperatures: circuit }),
    fc.record({ energy: energies, device: fc.constant(maker('Heat')) }),
  );
  fc.assert(
    fc.property(doubtful, (one) => {
      for (const channel of channelsOf({ ...plain, ...one })) expect(channel).toMatch(/^(?:\?|heat\/import)$/);
    }),
  );
});

test('counts the energy of a heat meter as heat, by its device or its topic', () => {
  fc.assert(
    fc.property(fc.oneof(energies, consumed), heatMeters, fc.boolean(), (energy, name, isInTopic) => {
      const where = isInTopic ? { topic: `home/${name}/state` } : { device: maker(name) };
      expect(channelsOf({ ...plain, energy, ...where })).toEqual(['heat/import']);
    }),
  );
});

test('counts electricity that says so, and what a heat pump consumes, next to a flow and its return', () => {
  const said = fc.constantFrom('Electric energy', 'Active energy', 'Wirkenergie', 'Stromverbrauch', 'Imported energy');
  fc.assert(
    fc.property(said, circuit, buses, (energy, temperatures, topic) => {
      expect(channelsOf({ ...plain, energy, temperatures, topic })).toEqual(['import']);
    }),
  );
  fc.assert(
    fc.property(consumed, circuit, (energy, temperatures) => {
      expect(channelsOf({ ...plain, energy, temperatures, device: maker('Heat pump') })).toEqual(['import']);
    }),
  );
  // A word that only contains `mbus` does not identify an M-Bus, and one temperature does not make a heat meter.
  expect(channelsOf({ ...plain, topic: 'modbus/nimbus/5' })).toEqual(['import']);
  expect(channelsOf({ ...plain, temperatures: ['Flow temperature', 'Room temperature'] })).toEqual(['import']);
});
