import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped } from '../finding.ts';

export const broker: Check = {
  name: 'broker',
  judge({ broker: facts, service }) {
    if (facts === null) return [skipped('not looked at')];
    const { shown, isEmbedded, reached } = facts;
    if (isSeen(reached))
      return [ok(isEmbedded ? `the embedded one listens at ${shown}` : `${shown} takes the login of MQTT_URL`)];
    if (isEmbedded && service === null) return [skipped('the embedded one runs with ingest only')];
    return isEmbedded
      ? [
          problem(
            `the embedded one does not listen at ${shown}: ${reached.why}`,
            'Look at the log of ingest; energy doctor shows above who has the port.',
          ),
        ]
      : [problem(`${shown}: ${reached.why}`, advice(reached.why))];
  },
};

function advice(why: string): string {
  if (/not authori[sz]ed|bad user ?name|access[_ ]refused|refused|403/i.test(why) && !/ECONNREFUSED/.test(why))
    return 'The broker does not take this login: put user and password into MQTT_URL, and let it read the topics (deploy/mosquitto/acl).';
  if (/certificate|self.signed|altname|SSL|TLS/i.test(why))
    return 'The broker’s certificate is not trusted, or is not of this name: name its authority in NODE_EXTRA_CA_CERTS, and its own name in MQTT_URL.';
  return 'Check host and port in MQTT_URL, that the broker runs, and firewalls in between.';
}
