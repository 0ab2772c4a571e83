import { execFile } from 'node:child_process';
import { execArgv, execPath } from 'node:process';
import type { DoctorReport } from '#src/api/dashboard/shapes.ts';
import { MAIN } from './children.ts';

/** Maximum time in ms of `energy doctor`, whose probes take at most about 12 s. */
const MAX_MS = 30_000;

/**
 * Runs `energy doctor --json` in a separate process, so that its probes do not delay the requests of the calling process. If the process
 * fails, the report contains only this problem.
 */
export function runDoctor(): Promise<DoctorReport> {
  return new Promise((resolve) => {
    execFile(execPath, [...execArgv, MAIN, 'doctor', '--json'], { timeout: MAX_MS }, (error, stdout, stderr) => {
      try {
        // The exit code is 1 if the report contains a problem.
        resolve(JSON.parse(stdout));
      } catch {
        const why = stderr.trim() || error?.message || 'it printed no report';
        const todo = 'Run energy doctor on the machine of the API to see the cause.';
        resolve({
          ok: false,
          findings: [{ check: 'doctor', level: 'problem', finding: `the checks did not finish: ${why}`, todo }],
        });
      }
    });
  });
}
