import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { documentedCommands } from '../support/documented-commands.ts';
import { commandEnv } from '../support/people.ts';
import { useCardbell } from '../support/running-cardbell.ts';

const cardbell = useCardbell({});
const folder = mkdtempSync(join(tmpdir(), 'cardbell-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The commands for operations staff, as written in the docs. `test/docs.test.ts` checks the others. */
const runnable =
  /^(?:npm run (?:--silent )?(replay|audit|recover|policy|doctor|trigger)\b(?: --)?|(?:node dist\/bin\/)?cardbell(?:\.js)?)(.*)$/;

/** The arguments of a documented command, with real values in place of its placeholders. */
function argumentsOf(words: string, url: string): string[] {
  return words
    .replaceAll(/\[[^\]]*\]|>.*$/g, '')
    .replaceAll(/\\?\|\S+/g, '')
    .replace('$(date +%F)', 'today')
    .replace('https://cards.example.com', url)
    .replaceAll(/\bID\b/g, 'evt_0h3k7m2p9q4r8s5t')
    .replace('KIND', 'decline')
    .replace('TIME', '1h')
    .replace('COUNT:HASH', `1:${'0'.repeat(64)}`)
    .replaceAll(/\bFILE\b|\S+\.backup/g, join(folder, 'cardbell.backup'))
    .replaceAll('"', '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

it('every documented command works as written against a running Cardbell', async () => {
  const env = commandEnv(cardbell());
  const texts = [...new Set(documentedCommands().map(({ text }) => text))].filter((text) => runnable.test(text));
  expect(texts.length).toBeGreaterThan(20);
  // Several pages write the same command with other placeholders.
  const commands = new Map<string, { text: string; verb: string; args: string[] }>();
  for (const text of texts) {
    const [, verb = 'cardbell', words = ''] = runnable.exec(text) ?? [];
    const args = argumentsOf(words, cardbell().url);
    commands.set([verb, ...args].join(' '), { text, verb, args });
  }
  const run = async ({ text, verb, args }: { text: string; verb: string; args: string[] }): Promise<void> => {
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile(process.execPath, [`dist/bin/${verb}.js`, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, out: `${stdout}${stderr}` }),
      );
    });
    // Exit code 1 means the command is valid but its subject is not, for example an unknown id.
    expect([0, 1], `${text}\nran as ${verb} ${args.join(' ')} and ended with ${String(code)}:\n${out}`).toContain(code);
    expect(out, `${text} ended with a stack trace`).not.toMatch(/^ {4}at /m);
  };
  await Promise.all([...commands.values()].map(run));
});
