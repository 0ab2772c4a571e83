import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ClientStep } from './cases.ts';

/** Input of run-cases.ts and run_cases.py, as JSON on their standard input. */
export interface RunnerInput {
  baseUrl: string;
  /** PEM file of the certificate authority that the client trusts. */
  caFile: string;
  keys: Record<string, string>;
  variables: Record<string, string>;
  steps: ClientStep[];
}

export interface StepResult {
  call: string;
  value?: unknown;
  error?: {
    type: string;
    status: number | null;
    code: string | null;
    details: unknown;
    retryAfterSeconds: number | null;
  };
}

/** Runs a program and returns its output. Rejects with the program's error output if the program fails. */
export async function runProgram(
  command: string,
  args: string[],
  { input = '', env = {}, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<string> {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, cwd });
  // Errors of the standard input are ignored, because the program may end before it has read it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [out, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.on('close', done)),
  ]);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${out.slice(-2_000)}\n${errors.slice(-4_000)}`);
  return out;
}
