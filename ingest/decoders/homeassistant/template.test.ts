import { expect, test } from 'vitest';
import { evaluateTemplate } from './evaluate.ts';
import { parseTemplate } from './template.ts';

const evaluated = (template: string, text: string): unknown => {
  const expression = parseTemplate(template);
  if (!expression) return 'cannot be evaluated';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return evaluateTemplate(expression, { text, json });
};

// Templates in discovery messages of well-known projects.
test.each([
  // Template of EMS-ESP.
  ["{{value_json['nrg'] if value_json['nrg'] is defined else 0}}", '{"nrg":12.5}', 12.5],
  ["{{value_json['nrg'] if value_json['nrg'] is defined else 0}}", '{}', null],
  [
    "{{value_json['hc1']['t'] if value_json.hc1 is defined and value_json['hc1']['t'] is defined else -55}}",
    '{"hc1":{"t":21}}',
    21,
  ],
  [
    "{{value_json['hc1']['t'] if value_json.hc1 is defined and value_json['hc1']['t'] is defined else -55}}",
    '{"dhw":{}}',
    null,
  ],
  ["{{value_json['x'] if value_json['x'] is defined}}", '{"x":3}', 3],
  // Template of teleinfo2mqtt.
  ["{% if 'BASE' in value_json %}{{ value_json.BASE.value }}{% endif %}", '{"BASE":{"value":12345}}', 12345],
  ["{% if 'BASE' in value_json %}{{ value_json.BASE.value }}{% endif %}", '{"PAPP":{"value":1}}', null],
  // Template of Z-Wave JS UI.
  ["{{ value_json.value | default('') }}", '{"value":7}', 7],
  ['{{ (value_json.value|int) | round(0) }}', '{"value":7.6}', 7],
  // Template of amsreader.
  ['{{ value_json.tPI | is_defined }}', '{"tPI":99.5}', 99.5],
  ['{{ value_json.peaks[0] | is_defined }}', '{"peaks":[1.5]}', 1.5],
  // Template of OpenBeken.
  ["{{ '%0.3f'|format(float(value)*0.001) }}", '1234', 1.234],
  ["{{ '%0.2f'|format(float(value)) }}", '230.456', 230.46],
  ['{{ float(value)*0.1|round(2) }}', '15', 1.5],
  // Templates of go-mtec2mqtt and of HA_enoceanmqtt.
  ['{{ value | round(1) }}', '8123.400', 8123.4],
  ['{{ value | round(1) }}', 'high', {}],
  ['{{ value | multiply(0.001) }}', '8123', 8.123],
  ['{{ value_json.MR/(10**value_json.DIV) }}', '{"MR": 8123456, "DIV": 2}', 81_234.56],
  ['{{ value_json.MR/(10**value_json.DIV) }}', '{"MR": 8123456, "DIV": 400}', {}],
  // Other common templates.
  ["{{ value_json.get('a', 0) | float(0) }}", '{"a":"4.5"}', 4.5],
  ["{{ value_json.get('a', 0) | float(0) }}", '{}', null],
  ['{{ value_json.a | float | round(1) | string }}', '{"a":4.25}', 4.2],
  [
    '{% if value_json.a is not none and value_json.a > 0 %}{{ value_json.a }}{% else %}0{% endif %}',
    '{"a":3}',
    'cannot be evaluated',
  ],
  ['{% if value_json.a > 0 %}{{ value_json.a }}{% else %}{{ value_json.b }}{% endif %}', '{"a":0,"b":8}', 8],
  ['{{ (value_json.a if value_json.a is number else value_json.b) * 1000 }}', '{"a":"x","b":2}', 2000],
  ["{{ 'heating' if value_json.on else 'idle' }}", '{"on":true}', 'heating'],
  ["{{ '5' if value_json.on else '7' }}", '{"on":true}', null],
  ['{{ 5 if value_json.on else 7 }}', '{"on":true}', null],
  // Template of a meter that publishes its tariffs as one text.
  ["{{value.split(';')[0]}}", '12844.31;6120.07', '12844.31'],
  ["{{ value.split(';')[1] | float / 1000 }}", '12844.31;6120.07', 6.120_07],
  ["{{ value.split(';')[2] }}", '12844.31;6120.07', null],
  ["{{ value.split('')[0] }}", '1;2', 'cannot be evaluated'],
  ['{{ value.split()[0] }}', '1 2', 'cannot be evaluated'],
  ["{{ value.strip(';')[0] }}", '1;2', 'cannot be evaluated'],
  // Template of SUPLA.
  ['{{ value | round(5,default=None) }}', '8123.456789', 8123.456_79],
  ['{{ value | round(5,default=None) }}', 'none at all', {}],
  ['{{ value | round(default=2) }}', '7.6', 8],
  ["{{ value | round(1, 'floor') }}", '7.66', 'cannot be evaluated'],
  ['{{ value | float(default=0) }}', '7.6', 7.6],
  // Template of hoymiles-mqtt.
  ["{{ iif(value_json.a is defined, value_json.a, '') }}", '{"a":812345}', 812_345],
  ["{{ iif(value_json.a is defined, value_json.a, '') }}", '{}', ''],
  ['{{ iif(value_json.a is defined, value_json.a, 0) }}', '{}', null],
  ['{{ iif(value_json.a > 0, value_json.a) }}', '{"a":3}', 'cannot be evaluated'],
  // Template of Easy HAN.
  ['{% set x = value_json.E.T|float(0) %} {% if x > 0 %} {{ x }} {% endif %}', '{"E":{"T":3120.441}}', 3120.441],
  ['{% set x = value_json.E.T|float(0) %} {% if x > 0 %} {{ x }} {% endif %}', '{"E":{}}', null],
  ['{% set x = value_json.a %}{{ x / 1000 }}', '{"a":5}', 0.005],
  ['{% set x = 5 %}{{ x }}', '{"a":5}', 'cannot be evaluated'],
  ['{% set x = value_json.a %}{{ y }}', '{"a":5}', 'cannot be evaluated'],
  ['{% set value = 5 %}{{ value }}', '7', 'cannot be evaluated'],
  ['{% set x = value %}{% set y = x + x %}{{ y + y }}', '7', 'cannot be evaluated'],
  ['{{ states("sensor.x") }}', '1', 'cannot be evaluated'],
  ["{{ {'0': 'Low'}[value] }}", '0', 'cannot be evaluated'],
  [`{{ ${'('.repeat(200)}value${')'.repeat(200)} }}`, '1', 'cannot be evaluated'],
])('evaluates %s for %s as %j', (template, text, wanted) => {
  expect(evaluated(template, text)).toEqual(wanted);
});
