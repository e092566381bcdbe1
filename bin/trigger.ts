#!/usr/bin/env node
import './unexpected-error.ts';
import { ASSUMPTIONS } from '../sandbox/assumptions.ts';
import { EnvironmentError, EXIT_USAGE, UsageError } from '../sandbox/cli-flags.ts';
import { useServiceZone } from '../sandbox/service-time.ts';
import { parseTriggerArguments, type TriggerArguments } from '../sandbox/trigger/arguments.ts';
import { printCatalogue, trigger } from '../sandbox/trigger/trigger.ts';
import { EX_CONFIG } from '../src/app/config.ts';
import { WebEnv } from '../src/app/environment.ts';
import { ofProgram, wordsOf } from '../src/app/programs.ts';
import { readVariables, withoutEmpty, withSecretFiles } from '../src/app/read-variables.ts';
import { ConfigError } from '../src/core/errors.ts';
import { webAddress } from './web-address.ts';

const USAGE = `Usage: npm run trigger -- KIND [--Field value …] [flags]

Sends one signed sample webhook. KIND is one of
  authorization, pin, settlement, reversal, decline, card-status, card-shipping, virtual-card,
or a decline code, for instance decline.rule.velocity.

  --Field value   sets any field of Data, for instance --TransactionAmount -84.10
  --url URL       base of the receivers; /KIND is added. Without it: those of web on this machine, by HOST, PORT
                  (3000 unless set) and TLS_CERT_FILE
  --to URL        exactly this URL instead
  --secret S      shared secret (WEBHOOK_SHARED_SECRET, or the file WEBHOOK_SHARED_SECRET_FILE)
  --version V     webhook version (${ASSUMPTIONS.webhookVersion.value}); older ones have the older signs
  --times N       sends N of them
  --same          sends the same body each time: duplicates
  --dry-run       prints what would be sent
  --list          prints every kind with a sample

Times are those of CARD_SERVICE_TIMEZONE (America/New_York). PROGRAM selects another card program: its variables and its
receivers.

Exit code: 0 when every webhook was accepted (200 or 201), 1 when not, 64 for a wrong command line,
78 when a variable of the secret, the time zone or the address of web is bad.
`;

const problems: string[] = [];
/** Those of the card program in PROGRAM, under their plain names. */
const given = withoutEmpty(ofProgram(process.env, problems));
const program = given['PROGRAM'] ?? '';
const streams = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${wordsOf(program, line)}\n`),
};
/** What is wrong with the variables that say where web listens. They matter only if no other address is given. */
const faults: string[] = [];
const receivers = `${ownAddress()}/webhooks${program === '' ? '' : `/${program}`}`;

function ownAddress(): string {
  const names = { HOST: true, PORT: true, TLS_CERT_FILE: true } as const;
  const read = readVariables(WebEnv.pick(names), given, faults);
  if (read === null) return 'http://127.0.0.1';
  return webAddress({ host: read.HOST, port: read.PORT, isHttps: read.TLS_CERT_FILE !== undefined });
}

/** The variable, or the content of the file that WEBHOOK_SHARED_SECRET_FILE names. @throws ConfigError */
function sharedSecret(): string | undefined {
  const all = withSecretFiles(given, ['WEBHOOK_SHARED_SECRET'], problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return all['WEBHOOK_SHARED_SECRET'];
}

/** @throws ConfigError, EnvironmentError, UsageError */
async function send(asked: TriggerArguments): Promise<boolean> {
  const isOwn = asked.to === undefined && asked.url === receivers;
  if (isOwn) problems.push(...faults);
  const read = readVariables(WebEnv.pick({ CARD_SERVICE_TIMEZONE: true, PROGRAMS: true }), given, problems);
  if (read === null || problems.length > 0) throw new ConfigError(problems);
  useServiceZone(read.CARD_SERVICE_TIMEZONE);
  // During a rotation there are two secrets; the first is the current one.
  const secret = asked.secret ?? (asked.dryRun ? undefined : sharedSecret()?.split(',')[0]?.trim());
  return await trigger({ ...asked, secret: secret === '' ? undefined : secret }, () => new Date(), streams);
}

try {
  const asked = parseTriggerArguments(process.argv.slice(2), ASSUMPTIONS.webhookVersion.value, receivers);
  if (asked.help) process.stdout.write(USAGE);
  else if (asked.list) printCatalogue(streams);
  else process.exitCode = (await send(asked)) ? 0 : 1;
} catch (error) {
  if (error instanceof ConfigError || error instanceof EnvironmentError) {
    streams.err(error.message);
    process.exit(EX_CONFIG);
  }
  if (!(error instanceof UsageError)) throw error;
  streams.err(`trigger: ${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
