#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { version } from '../src/core/version.ts';
import { EX_USAGE } from './arguments.ts';

/**
 * One command for everything: `cardbell VERB [arguments]`. Each verb does the same as its `npm run` line. It reads its
 * variables from the environment only, so that it behaves the same in a container, under systemd and in a shell.
 */

interface Verb {
  readonly file: string;
  readonly does: string;
  /** For verbs that take no arguments themselves. */
  readonly help?: string;
}

function longRunning(name: string, does: string): Verb {
  const help = `Usage: cardbell ${name}

This ${does}. It goes on until SIGTERM or SIGINT.
It takes no arguments. Its settings are environment variables; docs/configure.md lists them, and cardbell doctor checks them.
Ends with 78 when a variable is missing or bad, and names every such variable; with 69 when its port is taken.
`;
  return { file: `../src/${name}.js`, does, help };
}

/** What each verb runs, relative to this file, with one line of help. In the order of the help text. */
const verbs: Readonly<Record<string, Verb>> = {
  start: longRunning('start', 'runs web and worker in one process, for a small team'),
  web: longRunning('web', 'runs the process that receives webhooks and Slack requests'),
  worker: longRunning('worker', 'runs the process that posts, and calls the card service'),
  manifest: { file: './manifest.js', does: 'prints the manifest of the Slack app, with your address and command' },
  doctor: { file: './doctor.js', does: 'checks Redis, Slack, the card service and the webhook side' },
  recover: { file: './recover.js', does: 'fetches what the card service reported while Cardbell was away' },
  replay: { file: './replay.js', does: 'lists, retries or discards failed jobs and quarantined webhooks' },
  backup: { file: './backup.js', does: 'writes all stored data to a file' },
  restore: { file: './restore.js', does: 'restores a backup into an empty Redis, except what could act twice' },
  shards: { file: './shards.js', does: 'splits the work into shards, which a Redis Cluster spreads over its nodes' },
  audit: { file: './audit.js', does: 'verifies and exports the record of who did what' },
  policy: { file: './policy.js', does: 'checks and explains the policy file, and tries it on recorded decisions' },
  trigger: { file: './trigger.js', does: 'sends one sample webhook' },
  demo: { file: './demo.js', does: 'runs everything on this machine, no account anywhere' },
  workspace: { file: './workspace.js', does: 'runs a local Slack workspace' },
  sandbox: { file: './sandbox.js', does: 'runs the sandbox of the card service' },
  bench: { file: './bench.js', does: 'runs the benchmarks' },
};

/** Verbs of this file, which the usage explains. */
const ownNames = ['version', 'completion', 'help'];
const names = [...Object.keys(verbs), ...ownNames];

function usage(): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(verbs).map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}`);
  return `Usage: cardbell VERB [arguments]

${lines.join('\n')}
  ${'version'.padEnd(width)}  prints the version
  ${'completion'.padEnd(width)}  prints a completion script: completion bash, or completion zsh

cardbell VERB --help explains one verb. Exit codes: 0 done, 1 something is wrong, 64 wrong command line, 65 the policy
file is not valid, 69 a service does not answer or a port is taken, 78 a variable is missing or bad.
`;
}

function completion(shell: string | undefined): string | null {
  const words = names.join(' ');
  if (shell === 'bash') return `complete -W '${words}' cardbell\n`;
  if (shell === 'zsh') return `#compdef cardbell\ncompdef '_arguments "1:verb:(${words})"' cardbell\n`;
  return null;
}

/** Ends quietly if nobody reads it, as in `cardbell help | head -1`. */
async function print(text: string): Promise<void> {
  await import('./unexpected-error.ts');
  process.stdout.write(text);
}

function fail(problem: string): never {
  process.stderr.write(`cardbell: ${problem}\n\n${usage()}`);
  process.exit(EX_USAGE);
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const [first, ...others] = process.argv.slice(2);
/** `cardbell help VERB` is `cardbell VERB --help`. */
const [name, ...rest] = first === 'help' && others.length === 1 ? [others[0] ?? '', '--help'] : [first, ...others];
const verb = name !== undefined && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
if (name === undefined) fail('expected a verb');
else if (verb !== undefined) {
  const file = new URL(verb.file, import.meta.url);
  // The processes read their settings from variables only. The only argument they accept is a request for help.
  if (verb.help !== undefined && rest.length > 0) {
    if (!rest.every(isHelp)) fail(`${name}: expected no arguments`);
    await print(verb.help);
    process.exit(0);
  }
  // The verbs read their arguments from the command line, as if started directly.
  process.argv = [process.execPath, fileURLToPath(file), ...rest];
  await import(file.href).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      `The packages for cardbell ${name} are not installed here: run it in a clone, after npm ci.\n`,
    );
    const { EX_CONFIG } = await import('../src/app/config.ts');
    process.exit(EX_CONFIG);
  });
} else if (name === 'help' || isHelp(name) || (ownNames.includes(name) && rest.length > 0 && rest.every(isHelp)))
  await print(usage());
else if (name === 'version' || name === '--version') {
  if (rest.length > 0) fail(`${name}: expected no arguments`);
  await print(`${version}\n`);
} else if (name === 'completion') {
  const script = completion(rest[0]);
  if (script === null || rest.length > 1) fail('completion: expected bash or zsh');
  await print(script);
} else fail(`there is no verb ${name}`);
