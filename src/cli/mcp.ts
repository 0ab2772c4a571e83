import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Registers `energy mcp`, which gives AI assistants the tools of a running service through standard input and output. */
export function registerCommands(program: Command): void {
  program
    .command('mcp')
    .addOption(
      new Option('--url <url>', 'address of the service')
        .env('ENERGY_URL')
        .default(new URL('https://localhost:8443'), 'https://localhost:8443')
        .argParser(httpsUrl),
    )
    .addOption(
      new Option(
        '--key <key>',
        'API key; set ENERGY_API_KEY instead if other users can list the processes of this machine',
      )
        .env('ENERGY_API_KEY')
        .makeOptionMandatory(),
    )
    .option('--ca <file.pem>', 'additional trusted certificate, such as the /certificate.pem of the service')
    .option('--allow-write', 'also offer tools that change something, if the key permits it')
    .action(run);
}

async function run(o: { url: URL; key: string; ca?: string; allowWrite?: boolean }): Promise<void> {
  // These modules are imported only when the command runs, because printing its help also loads this file.
  const [{ serveStdio }, { createRemoteToolbox }, { createToolServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('#src/api/mcp/remote-toolbox.ts'),
    import('#src/api/mcp/server.ts'),
  ]);
  if (o.ca !== undefined) setDefaultCACertificates([...getCACertificates('default'), await readFile(o.ca, 'utf8')]);
  const toolbox = createRemoteToolbox({ url: o.url, key: o.key, mayWrite: o.allowWrite === true });
  // Standard output is reserved for the protocol; messages for people go to standard error.
  serveStdio(() => createToolServer(toolbox), {
    maxSubscriptions: 0,
    onerror: (error) => console.error(error.message),
  });
}

function httpsUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '')
    throw new InvalidArgumentError('Must be an https:// address, without a user name or password');
  return url;
}
