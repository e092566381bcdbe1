import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

it.each([['help'], ['version'], ['completion', 'bash'], ['web', '--help']])(
  'cardbell %s ends quietly if nobody reads its output',
  async (...args) => {
    const child = spawn(process.execPath, ['dist/bin/cardbell.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const err = await text(child.stderr);

    expect(err).toBe('');
  },
);

it('a verb that needs packages that are not installed says so in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-installed-'));
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const run = (...args: string[]) =>
    new Promise<object>((resolve) => {
      execFile(process.execPath, [join(folder, 'dist/bin/cardbell.js'), ...args], (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });

  expect(await run('bench')).toEqual({
    code: 78,
    out: '',
    err: 'The packages for cardbell bench are not installed here: run it in a clone, after npm ci.\n',
  });
  expect(await run('audit', '--help')).toMatchObject({ code: 0, err: '' });
  await rm(folder, { recursive: true });
});

it.each(['start', 'web', 'worker'])('the help of cardbell %s names the page that lists its variables', async (name) => {
  const child = spawn(process.execPath, ['dist/bin/cardbell.js', name, '--help']);
  const [, page = ''] = /(docs\/\S+\.md) lists them/.exec(await text(child.stdout)) ?? [];

  const listed = await readFile(page, 'utf8');
  for (const variable of ['SLACK_BOT_TOKEN', 'WEBHOOK_SHARED_SECRET', 'CARD_API_TOKEN'])
    expect(listed).toContain(`| \`${variable}\``);
});
