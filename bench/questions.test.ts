import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { formatGoal } from './answer.ts';
import { BENCHMARKS, listBenchmarkQuestions } from './questions.ts';

test.each(Object.keys(BENCHMARKS))('the README has one row for %s, with its duration in minutes', (name) => {
  expect(listBenchmarkQuestions('bench', name)).toEqual([
    { question: expect.stringMatching(/\w/), minutes: expect.stringMatching(/^\d+$/), command: expect.any(String) },
  ]);
});

test.each([
  ['run.ts', ['--help'], 'bench'],
  ['run.ts', ['flood', '--minutes=5', '--help'], 'bench -- flood'],
  ['run.ts', ['-h'], 'bench'],
  ['chaos/run.ts', ['cluster', '--help'], 'chaos'],
])("%s %j prints each benchmark's question with its duration in minutes, and starts no benchmark", (file, args, of) => {
  const folder = mkdtempSync(join(tmpdir(), 'energy-'));
  const { status, stdout } = spawnSync(process.execPath, [resolve(import.meta.dirname, file), ...args], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: folder },
    timeout: 20_000,
  });
  const made = readdirSync(folder);
  rmSync(folder, { recursive: true });
  const [script = '', name] = of.split(' -- ');
  const questions = listBenchmarkQuestions(script as 'bench', name);
  expect([status, made, questions.length > 0]).toEqual([0, [], true]);
  for (const { minutes, command } of questions) expect(stdout).toContain(`${minutes} min  ${command}`);
  expect(stdout.match(/ min {2}npm run/g)).toHaveLength(questions.length);
});

test.each([
  [{ what: 'A ÷ B', measured: 0.7, goal: { atLeast: 0.7 } }, 'A ÷ B: 0.7; the goal of at least 0.7 is met.'],
  [{ what: 'A ÷ B', measured: 0.69, goal: { atLeast: 0.7 } }, 'A ÷ B: 0.69; the goal of at least 0.7 is missed.'],
  [
    { what: 'p99', measured: 301, unit: ' ms', goal: { atMost: 300 } },
    'p99: 301 ms; the goal of at most 300 ms is missed.',
  ],
  [{ what: 'p99', measured: 301, unit: ' ms', goal: null }, 'p99: 301 ms.'],
])('prints the options %j as a sentence', (goal, sentence) => {
  expect(formatGoal(goal)).toBe(sentence);
});
