import './unexpected-error.ts';
import { EXIT_USAGE, parseFlags, UsageError } from '../sandbox/cli-flags.ts';
import { withoutEmpty } from '../src/app/read-variables.ts';
import { appManifest } from './manifest/app-manifest.ts';
import { commandConfig } from './reach-redis.ts';
import { addressFlag } from './web-address.ts';

const usage = `Prints the manifest from which the Slack app is created, with your address and your slash command.

  npm run --silent manifest -- --url https://cards.example.com

  --url ADDRESS   where Slack reaches the web process; without it, the example address stays

After you have given Slack a new address, verify the request URL in App Manifest of the app, while web runs. Slack sends no
events before that.

Reads SLACK_COMMAND, and PROGRAMS with the commands of further card programs. If SLACK_APP_TOKEN is set, the manifest turns Socket
Mode on; otherwise it turns it off, also in an existing app. Exit code: 0 when it was printed, 64 for a wrong command line, 78 when
a variable is bad.
`;

try {
  const flags = parseFlags(process.argv.slice(2), {
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  const url = addressFlag(flags.url, ['https:']);
  if (flags.help === true) process.stdout.write(usage);
  else {
    const config = commandConfig();
    const commands = config.programs.map(({ command }) => command);
    const given = withoutEmpty(process.env);
    const isSocketMode = 'SLACK_APP_TOKEN' in given || 'SLACK_APP_TOKEN_FILE' in given;
    process.stdout.write(`${JSON.stringify(appManifest(url, commands, isSocketMode), null, 2)}\n`);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`manifest: ${error.message}\n\n${usage}`);
  process.exit(EXIT_USAGE);
}
