import { execFile } from 'node:child_process';
import { execArgv, execPath } from 'node:process';
import type { DoctorReport } from '#src/api/dashboard/shapes.ts';
import { MAIN_PROGRAM_PATH } from './children.ts';

/** Maximum time in ms of `energy doctor`, whose probes take at most about 12 s. */
const MAX_MS = 30_000;

/** Report if the process fails. It does not contain the process's error output, which may contain passwords. */
const FAILED: DoctorReport = {
  ok: false,
  findings: [
    {
      check: 'doctor',
      level: 'problem',
      finding: 'the checks did not finish',
      todo: 'Run energy doctor on the machine of the API to see the cause.',
    },
  ],
};

/** Runs `energy doctor --json` in a separate process, so that its probes do not delay the requests of the calling process. */
export function runDoctor(): Promise<DoctorReport> {
  return new Promise((resolve) => {
    // The exit code is also 1 if the report contains a problem, so a failed run is recognised by its output.
    execFile(execPath, [...execArgv, MAIN_PROGRAM_PATH, 'doctor', '--json'], { timeout: MAX_MS }, (_error, stdout) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        resolve(FAILED);
      }
    });
  });
}
