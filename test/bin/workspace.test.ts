import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };

it('the rehearsal workspace offers each shortcut where Slack does: on messages, or next to the message field', async () => {
  const named = (type: string): string[] =>
    manifest.features.shortcuts.filter((one) => one.type === type).map(({ callback_id: id }) => id);
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, ['dist/bin/workspace.js', '--port', '0'], { env });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { page } = JSON.parse(line) as { page: string };
    const response = await fetch(new URL('/page/state?user=U1', page));
    const shown = (await response.json()) as Record<string, { callbackId: string }[]>;

    expect(shown['messageShortcuts']?.map(({ callbackId }) => callbackId)).toEqual(named('message'));
    expect(shown['globalShortcuts']?.map(({ callbackId }) => callbackId)).toEqual(named('global'));
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
