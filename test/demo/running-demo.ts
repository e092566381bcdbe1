import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HERO_LAST4 } from '../../local/cast.ts';
import { demoSecret } from '../../local/demo-settings.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The output of the demo with `--json`. */
export interface DemoAddresses {
  readonly ready: true;
  readonly page: string;
  readonly web: string;
  readonly sandbox: string;
  readonly till: string;
  readonly folder: string;
}

/** A demo that runs as a separate process, as people run it. */
export interface RunningDemo extends DemoAddresses {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | string | null>;
  /** Everything it wrote to standard error. */
  readonly complaints: () => string;
}

/** Runs `npm run demo` without npm and its build. */
export function spawnDemo(...flags: string[]): ChildProcess {
  const child = spawn(process.execPath, ['dist/bin/demo.js', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Leaves nothing running after a failed test.
  process.once('exit', () => child.kill('SIGTERM'));
  return child;
}

/** Exit code of a process, or the name of the signal that ended it. */
export async function endOf(child: ChildProcess): Promise<number | string | null> {
  return await new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
}

/** Starts a demo on free ports and waits until it is ready. @throws with its complaint when it exits first. */
export async function startRunningDemo(...flags: string[]): Promise<RunningDemo> {
  const child = spawnDemo('--json', '--port', '0', ...flags);
  const ended = endOf(child);
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  let printed = '';
  const ready = new Promise<DemoAddresses>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('\n')) resolve(JSON.parse(printed) as DemoAddresses);
    });
  });
  const addresses = await Promise.race([ready, ended]);
  if (typeof addresses !== 'object' || addresses === null)
    throw new Error(`the demo ended: ${addresses} ${complaints}`);
  return { ...addresses, process: child, pid: child.pid as number, ended, complaints: () => complaints };
}

/** A demo that prints its guide for people. */
export interface PrintedDemo {
  readonly process: ChildProcess;
  readonly ended: Promise<number | string | null>;
  readonly guide: string;
  /** The link printed in the guide after a label, such as `Start here`. @throws when there is none. */
  link(label: string): string;
  /** The story so far. */
  story(): string[];
}

/** Starts a demo on free ports as people start it, and reads its output. @throws when it exits first. */
export async function startPrintedDemo(...flags: string[]): Promise<PrintedDemo> {
  const child = spawnDemo('--port', '0', ...flags);
  const ended = endOf(child);
  let printed = '';
  const ready = new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C')) resolve(printed);
    });
  });
  const guide = await Promise.race([ready, ended]);
  if (typeof guide !== 'string' || !guide.includes('Ctrl-C')) throw new Error(`the demo ended: ${guide}`);
  const after = (label: string): string => {
    const value = new RegExp(`${label}\\s+(\\S+)`).exec(guide)?.[1];
    if (value === undefined) throw new Error(`the guide has no line “${label}”: ${guide}`);
    return value;
  };
  return { process: child, ended, guide, link: after, story: () => storyOf(join(after('Logs'), 'card-service.log')) };
}

function storyOf(logFile: string): string[] {
  return readFileSync(logFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { story?: string; text?: string })
    .flatMap(({ story, text }) => (story === undefined ? [] : [`${story} ${text}`]));
}

/** Process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // The process has just exited.
    return undefined;
  }
}

/** The child of a process whose command line contains a text. @throws when there is none. */
export function childWith(pid: number, text: string): number {
  const child = childrenOf(pid).find((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').includes(text));
  if (child === undefined) throw new Error(`no child runs ${text}`);
  return child;
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ask<T>(demo: DemoAddresses, path: string): Promise<T> {
  const response = await fetch(demo.sandbox + path, { headers: { authorization: `token ${demoSecret.cardApi}` } });
  return (await response.json()) as T;
}

/** Sam's account id in the card service. */
export async function heroAccount(demo: DemoAddresses): Promise<number> {
  const { CHAccountList: accounts } = await ask<{ CHAccountList: { AccountId: number; CardNumber4Digits: string }[] }>(
    demo,
    '/Details/AccountDetails',
  );
  const hero = accounts.find(({ CardNumber4Digits }) => CardNumber4Digits === HERO_LAST4);
  if (hero === undefined) throw new Error('Sam has no account');
  return hero.AccountId;
}

/** Status and daily limit of an account's card in the card service. */
export async function cardInService(demo: DemoAddresses, acctId: number): Promise<{ status: string; daily: number }> {
  const details = await ask<{ CardList: { CardStatus: string }[]; SpendRules: { DailySpendLimit: number } }>(
    demo,
    `/Details/AccountDetails/${acctId}/Advanced`,
  );
  return { status: details.CardList[0]?.CardStatus ?? '', daily: details.SpendRules.DailySpendLimit };
}

/** The writes sent to the card service, oldest first. */
export function writes(demo: DemoAddresses): string[] {
  return readFileSync(join(demo.folder, 'card-service.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { method?: string; path?: string; body?: unknown })
    .filter(({ method }) => method !== undefined && method !== 'GET')
    .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
}
