import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { startTill } from '../../local/till.ts';
import type { Workspace } from '../../workspace/server.ts';
import { openWorkspace } from './local-workspace.ts';

let workspace: Workspace;
let till: Awaited<ReturnType<typeof startTill>>;
let tillPort: number;
beforeAll(async () => {
  workspace = await openWorkspace();
  tillPort = await freePort();
  till = await startTill(tillPort, {
    accounts: () => [],
    purchase: () => ({ Approved: true, Message: null }),
    rush: () => {},
    last4: '',
    workspaceUrl: workspace.url,
    rushShopsTaken: 0,
    onPaid: () => {},
  });
});
afterAll(async () => {
  await Promise.all([workspace.stop(), till.stop()]);
});

/** Sends the path unchanged, because `fetch` would normalize it. */
async function ask(port: number | string, path: string, headers: Record<string, string> = {}): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

it.each(['//', '///', '//evil.example', 'http://[::bad', '/%zz'])(
  'the workspace and the cash register refuse GET %s and keep running',
  async (path) => {
    const { port } = new URL(workspace.url);

    for (const each of [port, tillPort]) expect([400, 404]).toContain(await ask(each, path));
    expect(await ask(port, path, { connection: 'upgrade', upgrade: 'websocket' })).toBe(401);
    expect(await ask(port, '/')).toBe(200);
  },
);
