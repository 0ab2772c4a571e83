import { type Check, ok, problem, skipped, warning } from '../finding.ts';

/** A role by its title, the supervisor by its program. */
const OURS = /^energy |(bin\/energy(\.js)?|cli\/main\.ts)( |$)/;

export const ports: Check = {
  name: 'ports',
  judge({ ports: facts, service }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    const findings = facts.flatMap(({ variable, port, host, state, holder, why }) => {
      const what = `${variable} ${port} on ${host}`;
      if (state === 'free') return [];
      if (state === 'unusable')
        return [
          problem(
            `${what} cannot be listened on: ${why ?? 'unknown'}`,
            `Set ${variable} to a port above 1023, and its host to an address of this machine.`,
          ),
        ];
      if (holder !== null && (holder.pid === service?.pid || OURS.test(holder.title))) return [];
      if (holder === null && service !== null) return [];
      if (holder === null)
        return [
          warning(
            `${what} is taken, by whom cannot be seen`,
            `ss -ltnp as root shows it. Unless it is this service, end that program or set ${variable}.`,
          ),
        ];
      return [
        problem(
          `${what} is taken by process ${holder.pid} (${holder.title})`,
          `End that program, or set ${variable} to another port.`,
        ),
      ];
    });
    return findings.length > 0
      ? findings
      : [ok(service ? 'are the service’s own, or free' : 'are free, or a role’s of this service')];
  },
};
