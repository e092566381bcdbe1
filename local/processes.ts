import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The longest that a process may take after SIGTERM. Cardbell's own processes take less than eight seconds. */
const STOP_DEADLINE_MS = 8000;
const READY_DEADLINE_MS = 20_000;
const LINES_KEPT = 15;

/** One of our processes, with its output in a file. */
export interface LocalProcess {
  readonly name: string;
  /** Latest lines of its output. */
  lastLines(): string;
  /** How it ended, in words. Waits until it ends. */
  readonly ended: Promise<string>;
  /** Waits for a line of its output. @throws when it ends first or takes too long. */
  printed(text: string): Promise<void>;
  /** SIGTERM, then SIGKILL if it does not react. */
  stop(): Promise<void>;
}

/** The command of each line in the Procfile, by name. */
export function procfile(root: string): Map<string, string[]> {
  const lines = readFileSync(join(root, 'Procfile'), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, name, command] = /^(\w+):\s*(.+)$/.exec(line) ?? [];
      return name === undefined || command === undefined ? [] : [[name, command.trim().split(/\s+/)] as const];
    }),
  );
}

/** Starts a line of the Procfile. `node` is the one that runs us. */
export function startProcess(options: {
  name: string;
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  logFile: string;
}): LocalProcess {
  const [program = '', ...args] = options.command;
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C in the terminal reaches only us, and we stop it in the right order.
    detached: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);

  const log = createWriteStream(options.logFile);
  // The folder may be deleted while the last lines are being written.
  log.on('error', () => {});
  const lines: string[] = [];
  let all = '';
  const take = (chunk: string): void => {
    log.write(chunk);
    all = `${all}${chunk}`.slice(-20_000);
    lines.splice(0, lines.length, ...all.trimEnd().split('\n').slice(-LINES_KEPT));
    child.emit('printed');
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take);

  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  void ended.then(() => {
    process.removeListener('exit', kill);
    log.end();
  });

  return {
    name: options.name,
    ended,
    lastLines: () => lines.join('\n'),
    async printed(text) {
      const found = new Promise<true>((resolve) => {
        const look = (): void => void (all.includes(text) && resolve(true));
        child.on('printed', look);
        look();
      });
      const late = wait(READY_DEADLINE_MS, 'it took too long', { ref: false });
      const outcome = await Promise.race([found, ended, late]);
      if (outcome !== true) throw new ProcessDiedError(options.name, outcome, lines.join('\n'));
    },
    async stop() {
      if (!isRunning(child)) return;
      child.kill('SIGTERM');
      const impatient = setTimeout(kill, STOP_DEADLINE_MS);
      await ended;
      clearTimeout(impatient);
    },
  };
}

/** One of the processes has ended. The message includes the end of its log. */
export class ProcessDiedError extends Error {
  constructor(name: string, how: string, lastLines: string) {
    super(`the ${name} process stopped: ${how}\n${lastLines.replaceAll(/^/gm, '  | ')}`);
  }
}

/** Polls an address until it answers 200. @throws when that takes too long. */
export async function answers(url: string): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    const status = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`${url} did not become ready (last answer: ${status || 'none'})`);
    await wait(50);
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
