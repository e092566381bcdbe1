import './unexpected-error.ts';
import { EXIT_USAGE, parseFlags, portFlag, UsageError, urlFlag } from '../sandbox/cli-flags.ts';
import { EX_UNAVAILABLE } from '../src/app/run-process.ts';
import { useInstallation } from '../src/core/installation.ts';
import { ListenError, listenError } from '../src/core/listen-error.ts';
import { startWorkspace } from '../workspace/server.ts';
import { appManifest } from './manifest/app-manifest.ts';
import { commandConfig } from './reach-redis.ts';

const usage = `Runs a local Slack workspace, to try Cardbell without an account: its page is for people, its API for Cardbell.

  cardbell workspace [flags]

  --port N             port on 127.0.0.1 (4000; 0 takes a free one)
  --app-url URL        where Cardbell receives Slack's requests (http://127.0.0.1:3000/slack/events)
  --bot-token T        SLACK_BOT_TOKEN of Cardbell (xoxb-rehearsal-bot-token)
  --signing-secret S   SLACK_SIGNING_SECRET of Cardbell (rehearsal-signing-secret)

In it are the channel C1 (card-alerts), Ana (U1) and Olga (U2). Reads SLACK_COMMAND. Prints one JSON line when it is ready.
Exit code: 0 when it was stopped, 64 for a wrong command line, 69 when the port is taken, 78 for a variable that is bad.
`;

async function main(): Promise<void> {
  const flags = parseFlags(process.argv.slice(2), {
    port: { type: 'string', default: '4000' },
    'app-url': { type: 'string', default: 'http://127.0.0.1:3000/slack/events' },
    'bot-token': { type: 'string', default: 'xoxb-rehearsal-bot-token' },
    'signing-secret': { type: 'string', default: 'rehearsal-signing-secret' },
    help: { type: 'boolean', short: 'h' },
  });
  if (flags.help === true) return void process.stdout.write(usage);
  const port = portFlag(flags.port) ?? 4000;
  const appUrl = urlFlag('app-url', flags['app-url'], ['http:', 'https:']);
  useInstallation(commandConfig());
  const { slash_commands: commands, shortcuts } = appManifest(null).features;
  const shortcutsOf = (type: string) =>
    shortcuts.flatMap((one) => (one.type === type ? { name: one.name, callbackId: one.callback_id } : []));
  const workspace = await startWorkspace({
    port,
    botToken: flags['bot-token'],
    signingSecret: flags['signing-secret'],
    ...(appUrl === undefined ? {} : { appUrl }),
    users: [
      { id: 'U1', name: 'ana', realName: 'Ana Ferreira' },
      { id: 'U2', name: 'olga', realName: 'Olga Brandt' },
    ],
    channels: [{ id: 'C1', name: 'card-alerts', isPrivate: true }],
    commands: commands.map(({ command }) => command),
    escapedCommands: commands.flatMap(({ command, should_escape: isEscaped }) => (isEscaped ? command : [])),
    messageShortcuts: shortcutsOf('message'),
    globalShortcuts: shortcutsOf('global'),
  }).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port }, { port: '--port' });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void workspace.stop().then(() => process.exit(0)));
  const page = `${workspace.url}?channel=C1&user=U1`;
  process.stdout.write(`${JSON.stringify({ ready: true, page, api: workspace.apiUrl })}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ListenError)) throw error;
  const isUsage = error instanceof UsageError;
  process.stderr.write(`workspace: ${error.message}\n${isUsage ? `\n${usage}` : ''}`);
  process.exit(isUsage ? EXIT_USAGE : EX_UNAVAILABLE);
}
