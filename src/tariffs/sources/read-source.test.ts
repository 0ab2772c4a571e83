import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatDecimal } from '#src/core/decimal.ts';
import { PRICE_SOURCE_PRESETS } from './presets.ts';
import {
  findSourceErrors,
  getSharedFetchKey,
  getSourceHost,
  getSourceRequest,
  hasValuesOfTomorrow,
  parseSourceResponse,
} from './read-source.ts';
import type { PriceRowsResult } from './response-rows.ts';
import type { CustomSource, SeriesSource } from './source.ts';

const recorded = (file: string) =>
  readFileSync(new URL(`../../../test/data/price-answers/${file}`, import.meta.url), 'utf8');
const EUR_15 = { unit: 'EUR', resolutionMinutes: 15 };
const EUR_60 = { unit: 'EUR', resolutionMinutes: 60 };

async function read(text: string, source: SeriesSource, form = EUR_60) {
  const answer = await parseSourceResponse(text, source, form);
  if ('failure' in answer) return answer;
  const prices = answer.prices.map(({ startsAtMs, perKwh }): [string, string] => [
    new Date(startsAtMs).toISOString().slice(0, 16),
    formatDecimal(perKwh),
  ]);
  return { prices, byTime: new Map(prices), problems: answer.problems };
}
const mustRead = async (...args: Parameters<typeof read>) => {
  const answer = await read(...args);
  if ('failure' in answer) throw new Error(answer.failure);
  return answer;
};

describe('an answer of a preset', () => {
  test('of aWATTar has the prices of 24 hours, from EUR/MWh', async () => {
    const { prices, byTime, problems } = await mustRead(recorded('awattar-day.json'), { preset: 'awattar_de' });
    expect([prices.length, prices[0]?.[0], prices.at(-1)?.[0], problems]).toEqual([
      24,
      '2026-01-14T23:00',
      '2026-01-15T22:00',
      [],
    ]);
    expect([byTime.get('2026-01-15T02:00'), byTime.get('2026-01-15T16:00')]).toEqual(['-0.00001', '0.21194']);
  });

  test('of aWATTar fills the quarter-hours of a finer series', async () => {
    const { prices, byTime } = await mustRead(recorded('awattar-day.json'), { preset: 'awattar_at' }, EUR_15);
    expect(prices).toHaveLength(96);
    for (const minute of ['00', '15', '30', '45']) expect(byTime.get(`2026-01-15T16:${minute}`)).toBe('0.21194');
  });

  test('of Energi Data Service has the 92 quarter-hours of a day of 23 hours, in either currency', async () => {
    const text = recorded('energi-data-service-23-hours.json');
    const source = { preset: 'energi_data_service_dk1' };
    const euros = await mustRead(text, source, EUR_15);
    const crowns = await mustRead(text, source, { unit: 'DKK', resolutionMinutes: 15 });
    expect([euros.prices.length, euros.prices[0], euros.prices.at(-1)]).toEqual([
      92,
      ['2026-03-28T23:00', '0.06127'],
      ['2026-03-29T21:45', '-0.0035'],
    ]);
    expect([crowns.prices[0]?.[1], crowns.prices.at(-1)?.[1]]).toEqual(['0.45709259', '-0.02611105']);
  });

  test('of Octopus has the 50 half-hours of a day of 25 hours, newest first, from pence', async () => {
    const pounds = { unit: 'GBP', resolutionMinutes: 30 };
    const { prices } = await mustRead(recorded('octopus-25-hours.json'), { preset: 'octopus_agile_c' }, pounds);
    expect([prices.length, prices[0], prices.at(-1)]).toEqual([
      50,
      ['2026-10-24T23:00', '0.19845'],
      ['2026-10-25T23:30', '-0.0126'],
    ]);
  });

  test('of Carbon Intensity has the forecasts of 50 half-hours, in grams, for emission series only', async () => {
    const [source, grams] = [{ preset: 'carbon_intensity_gb' }, { unit: 'gCO2e', resolutionMinutes: 30 }];
    const { prices, problems } = await mustRead(recorded('carbon-intensity-gb-25-hours.json'), source, grams);
    expect([prices.length, prices[0], prices[26], prices.at(-1), problems]).toEqual([
      50,
      ['2026-10-24T23:00', '120'],
      ['2026-10-25T12:00', '182'],
      ['2026-10-25T23:30', '133'],
      [],
    ]);
    const [error] = findSourceErrors(source, {}, { unit: 'GBP', resolutionMinutes: 30 });
    expect(error).toEqual({ field: 'source.preset', message: 'has values in gCO2e, the series in GBP' });
    expect(findSourceErrors({ preset: 'awattar_de' }, {}, grams)).toHaveLength(1);
  });

  test('of ENTSO-E repeats missing positions of curve A03, and ignores other auctions', async () => {
    const text = recorded('entsoe-25-hours-quarters.xml');
    const { prices, byTime } = await mustRead(text, { preset: 'entsoe_de_lu' }, EUR_15);
    expect([prices.length, prices[0]]).toEqual([100, ['2026-10-24T22:00', '0.09699']]);
    // Positions 4 to 6 and 98 to 100 are missing in the response. They have the prices of positions 3 and 97.
    expect(['22:30', '22:45', '23:00', '23:15'].map((time) => byTime.get(`2026-10-24T${time}`))).toEqual(
      Array(4).fill('-0.00701'),
    );
    expect(byTime.get('2026-10-24T23:30')).not.toBe('-0.00701');
    expect(prices.slice(-4).map(([, price]) => price)).toEqual(Array(4).fill('0.0125'));
    expect(await read(text, { preset: 'entsoe_de_lu' }, EUR_60)).toEqual({
      failure: 'the response has values for less than 60 minutes; use a series with a shorter resolution',
    });
  });

  test('of ENTSO-E leaves a missing position of another curve unknown', async () => {
    const { prices, byTime } = await mustRead(recorded('entsoe-23-hours-hourly.xml'), { preset: 'entsoe_fr' });
    expect([prices.length, prices[0], prices.at(-1)?.[0]]).toEqual([
      22,
      ['2026-03-28T23:00', '0.04'],
      '2026-03-29T21:00',
    ]);
    expect(byTime.has('2026-03-29T09:00')).toBe(false);
  });

  test('of ENTSO-E without data, in another currency, or of another kind is a failure', async () => {
    const source = { preset: 'entsoe_pl' };
    const hourly = recorded('entsoe-23-hours-hourly.xml');
    expect(await read(recorded('entsoe-no-data.xml'), source)).toEqual({
      failure: 'the platform has no prices for this time',
    });
    expect(await read(hourly.replace('>EUR<', '>PLN<'), source)).toEqual({
      failure: 'the prices of the response are not in EUR',
    });
    expect(await read('<html/>', source)).toEqual({ failure: 'the response is not a document of prices' });
    expect(await read(`<!DOCTYPE a [<!ENTITY b "c">]>${hourly.slice(hourly.indexOf('<Pub'))}`, source)).toEqual({
      failure: 'the response is not XML',
    });
  });
});

const own = (more: Partial<CustomSource> = {}): CustomSource => ({
  url: 'https://prices.example/today',
  format: 'json',
  items: '$.rows',
  starts_at: '$.from',
  value: '$.price',
  timezone: 'UTC',
  at: ['13:15'],
  ...more,
});
const json = (...rows: [string | number, unknown][]) =>
  JSON.stringify({ rows: rows.map(([from, price]) => ({ from, price })) });

describe('a response of a custom address', () => {
  test('is read in JSON, CSV and XML alike', async () => {
    const expected = [
      ['2026-06-15T12:00', '-0.5'],
      ['2026-06-15T13:00', '0.25'],
    ];
    const xml =
      '<a:doc xmlns:a="x"><a:p><t>2026-06-15T12:00:00Z</t><v>-0.5</v></a:p><p><t>2026-06-15T15:00+02:00</t><v> 0.25 </v></p></a:doc>';
    const answers: [string, CustomSource][] = [
      [json(['2026-06-15T12:00:00Z', -0.5], ['2026-06-15T15:00:00+02:00', '0.25']), own()],
      [json([1_781_524_800, -0.5], [1_781_528_400_000, 0.25]), own()],
      [
        '\uFEFFx,t,v\r\n,2026-06-15 12:00,-0.5\r\n,2026-06-15 13:00,0.25\r\n',
        own({ format: 'csv', starts_at: 't', value: 'v' }),
      ],
      ['t;v\n2026-06-15T12:00Z;-0,5\n2026-06-15T13:00Z;0,25\n', own({ format: 'csv', starts_at: 't', value: 'v' })],
      [xml, own({ format: 'xml', items: 'p', starts_at: 't', value: 'v' })],
    ];
    for (const [text, source] of answers)
      expect([text, (await mustRead(text, source)).prices]).toEqual([text, expected]);
    const whole = own({ items: undefined });
    expect((await mustRead('[{"from":"2026-06-15T12:00Z","price":1e-3}]', whole)).prices).toEqual([
      ['2026-06-15T12:00', '0.001'],
    ]);
  });

  test('is scaled exactly and rounded once to nine decimals, halves away from zero', async () => {
    const at = (price: unknown) => json(['2026-06-15T12:00:00Z', price]);
    const priceOf = async (text: string, scale?: string) => (await mustRead(text, own({ scale }))).prices[0]?.[1];
    expect(await priceOf(at('0.1234567885'))).toBe('0.123456789');
    expect(await priceOf(at('-0.1234567885'))).toBe('-0.123456789');
    expect(await priceOf(at('0.12345678849999999999999'))).toBe('0.123456788');
    expect(await priceOf('{"rows":[{"from":"2026-06-15T12:00Z","price":0.12345678849999999999999}]}')).toBe(
      '0.123456788',
    );
    expect(await priceOf(at(1.005), '0.001')).toBe('0.001005');
    expect(await priceOf(at(-12.3), '-0.01')).toBe('0.123');
  });

  test('with local times has each instant of the repeated hour, in ascending or descending order', async () => {
    const local = own({ timezone: 'Europe/Berlin' });
    const hours = ['01:00', '02:00', '02:00', '03:00'];
    const rows = hours.map((time, index): [string, number] => [`2026-10-25T${time}:00`, index]);
    const expected = [
      ['2026-10-24T23:00', '0'],
      ['2026-10-25T00:00', '1'],
      ['2026-10-25T01:00', '2'],
      ['2026-10-25T02:00', '3'],
    ];
    expect((await mustRead(json(...rows), local)).prices).toEqual(expected);
    expect((await mustRead(json(...rows.toReversed()), local)).prices).toEqual(expected);
    const quarters = ['02:00', '02:15', '02:30', '02:45', '02:00', '02:15', '02:30', '02:45'];
    const fine = quarters.map((time, index): [string, number] => [`2026-10-25 ${time}`, index]);
    const { prices } = await mustRead(json(...fine), local, EUR_15);
    expect(prices.map(([, price]) => price)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect([prices[0]?.[0], prices[4]?.[0]]).toEqual(['2026-10-25T00:00', '2026-10-25T01:00']);
    const third = await mustRead(json(...rows, ['2026-10-25T02:00:00', 9]), local);
    expect(third.problems).toEqual([{ row: 5, message: 'starts_at occurs twice' }]);
    const skipped = await mustRead(
      json(['2026-03-29T01:00', 1], ['2026-03-29T02:00', 2], ['2026-03-29T03:00', 3]),
      local,
    );
    expect(skipped.prices.map(([time]) => time)).toEqual(['2026-03-29T00:00', '2026-03-29T01:00']);
    expect(skipped.problems[0]?.row).toBe(2);
  });

  test('is stored without the rows that are wrong, which are named', async () => {
    const rows: [string | number, unknown][] = [
      ['2026-06-15T12:00:00Z', 1],
      ['2026-06-15T12:00:00Z', 2],
      ['2026-06-15T13:07:00Z', 3],
      ['2026-02-30T13:00:00Z', 4],
      ['2026-06-15T14:00:00.5Z', 5],
      ['2026-06-15T15:00:00Z', null],
      ['2026-06-15T16:00:00Z', 'much'],
      ['2026-06-15T17:00:00Z', '1000000000'],
      ['2150-06-15T17:00:00Z', 1],
      ['2026-06-15T18:00:00Z', 6],
    ];
    const { prices, problems } = await mustRead(json(...rows), own());
    expect(prices.map(([, price]) => price)).toEqual(['1', '6']);
    expect(problems.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(JSON.stringify(problems)).not.toContain('much');
  });

  test.each([
    ['{', own(), 'the response is not JSON'],
    ['{"rows":[]}', own(), 'the response has no values'],
    ['{"rows":{}}', own(), 'items does not name a list in the response'],
    ['a,b\n1,2', own({ format: 'csv', starts_at: 't', value: 'b' }), 'the response has no column that starts_at names'],
    ['"', own({ format: 'csv' }), 'the response is not a CSV table of at most 10,000 rows'],
    ['<a>', own({ format: 'xml', items: 'p' }), 'the response is not XML, or declares a document type'],
    ['<a/>', own({ format: 'xml', items: 'p' }), 'the response has no values'],
    [
      `${'<a>'.repeat(60)}${'</a>'.repeat(60)}`,
      own({ format: 'xml', items: 'p' }),
      'the response is not XML, or declares a document type',
    ],
    [json(['x', 1]), own(), 'no row of the response can be used; row 1: starts_at is not a time'],
    [
      json(...Array.from({ length: 10_001 }, (_, hour): [number, number] => [1_700_000_000 + hour * 3_600, 1])),
      own(),
      'the response has more than 10,000 values',
    ],
  ])('that is wrong as a whole is a failure: %#', async (text, source, failure) => {
    expect(await read(text, source)).toEqual({ failure });
  });

  test('with prices of quarter-hours or half-hours is refused for an hourly series', async () => {
    for (const minutes of [15, 30]) {
      const rows = Array.from({ length: 8 }, (_, index): [number, number] => [
        1_781_524_800 + index * minutes * 60,
        index,
      ]);
      expect(await read(json(...rows), own())).toHaveProperty('failure');
      expect((await mustRead(json(...rows), own(), { unit: 'EUR', resolutionMinutes: minutes })).prices).toHaveLength(
        8,
      );
    }
  });
});

test('whether a response contains tomorrow is decided by the local date of its source', () => {
  const prices = (time: string): PriceRowsResult => ({
    prices: [{ startsAtMs: Date.parse(time), perKwh: 0n as never }],
    problems: [],
    rows: 1,
  });
  const now = new Date('2026-06-15T21:30:00Z');
  const berlin = own({ timezone: 'Europe/Berlin' });
  expect(hasValuesOfTomorrow(prices('2026-06-15T21:00:00Z'), berlin, now)).toBe(false);
  expect(hasValuesOfTomorrow(prices('2026-06-15T22:00:00Z'), berlin, now)).toBe(true);
  expect(hasValuesOfTomorrow(prices('2026-06-15T22:00:00Z'), own(), now)).toBe(false);
});

describe('presets', () => {
  const now = new Date('2026-11-27T12:15:00Z');

  test('have an address without placeholders, for the days from yesterday to tomorrow', () => {
    const urls = [...PRICE_SOURCE_PRESETS.keys()].map(
      (preset) => getSourceRequest({ preset }, { token: 'a b' }, now).url,
    );
    for (const url of urls)
      expect([url, new URL(url).href.includes('{') || /undefined|NaN/.test(url)]).toEqual([url, false]);
    expect(getSourceRequest({ preset: 'awattar_de' }, {}, now).url).toBe(
      `https://api.awattar.de/v1/marketdata?start=${Date.parse('2026-11-25T23:00Z')}&end=${Date.parse('2026-11-28T23:00Z')}`,
    );
    expect(getSourceRequest({ preset: 'entsoe_fr' }, { token: 'a b' }, now).url).toBe(
      'https://web-api.tp.entsoe.eu/api?documentType=A44&in_Domain=10YFR-RTE------C&out_Domain=10YFR-RTE------C&periodStart=202611252300&periodEnd=202611282300&securityToken=a%20b',
    );
  });

  test('of Octopus and Carbon Intensity have times in minutes, without encoded colons', () => {
    expect(getSourceRequest({ preset: 'octopus_agile_c' }, {}, now).url).toMatch(
      /period_from=2026-11-26T00:00Z&period_to=2026-11-29T00:00Z$/,
    );
    expect(getSourceRequest({ preset: 'carbon_intensity_gb' }, {}, now).url).toBe(
      'https://api.carbonintensity.org.uk/intensity/2026-11-26T00:00Z/2026-11-29T00:00Z',
    );
  });

  test('of ENTSO-E have codes with a valid check character', () => {
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-';
    // Computes the check character of an area code (ENTSO-E, Energy Identification Coding Scheme (EIC) reference manual).
    const checkOf = (code: string) => {
      const sum = [...code.slice(0, 15)].reduce((total, letter, at) => total + letters.indexOf(letter) * (16 - at), 0);
      return letters[36 - ((sum - 1) % 37)];
    };
    const codes = [...PRICE_SOURCE_PRESETS].filter(([name]) => name.startsWith('entsoe_')).map(([, { zone }]) => zone);
    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => checkOf(code) !== code[15])).toEqual([]);
  });

  test('are fetched once for all series with the same preset and token; custom addresses are fetched separately', () => {
    const key = (id: string, source: SeriesSource, token?: string) => getSharedFetchKey(id, source, { token });
    const preset = { preset: 'entsoe_fr' };
    expect(key('a', preset, 'x')).toBe(key('b', preset, 'x'));
    expect(key('a', preset, 'x')).not.toBe(key('a', preset, 'y'));
    expect(key('a', preset, 'x')).not.toContain('x'.repeat(1).concat(' '));
    expect(key('a', own())).not.toBe(key('b', own()));
    expect([getSourceHost(preset), getSourceHost(own({ url: 'https://a.example:8443/x' }))]).toEqual([
      'web-api.tp.entsoe.eu',
      'a.example:8443',
    ]);
  });

  test.each([
    [{ preset: 'awattar_de' }, undefined, EUR_60, []],
    [{ preset: 'awattar_de' }, 'x', EUR_60, ['source.token']],
    [{ preset: 'awattar_de' }, undefined, { unit: 'DKK', resolutionMinutes: 15 }, ['source.preset']],
    [{ preset: 'octopus_agile_c' }, undefined, { unit: 'GBP', resolutionMinutes: 60 }, ['source.preset']],
    [{ preset: 'entsoe_fr' }, undefined, EUR_15, ['source.token']],
    [{ preset: 'entsoe_fr' }, 'x', EUR_15, []],
    [{ preset: '__proto__' }, undefined, EUR_60, ['source.preset']],
    [own(), undefined, EUR_60, []],
  ])('are accepted for a series or not: %j', (source, token, form, fields) => {
    expect(findSourceErrors(source, { token }, form).map(({ field }) => field)).toEqual(fields);
  });
});
