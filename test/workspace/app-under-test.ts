import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import type { Workspace } from '../../workspace/server.ts';
import { SECRET, TOKEN } from './local-workspace.ts';

const addresses = new WeakMap<object, string>();

/** Where a started app accepts deliveries. */
export function appUrl(app: object): string {
  return addresses.get(app) ?? '';
}

/** A real Bolt app that the workspace delivers to. */
export async function startApp(workspace: Workspace, register: (app: App) => void) {
  const app = new App({
    token: TOKEN,
    signingSecret: SECRET,
    // Otherwise the app calls auth.test in the background, after a short test may have stopped the workspace.
    tokenVerificationEnabled: false,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
  });
  // An error in a listener must not abort the test run. The workspace sees it as an error response.
  app.error(() => Promise.resolve());
  register(app);
  const server = await app.start({ port: 0, host: '127.0.0.1' });
  addresses.set(app, `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
  workspace.setAppUrl(appUrl(app));
  return app;
}

/** The complete body of a delivery as listeners see it. */
export type Body = Record<string, unknown>;
