import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import type { Workspace } from '../../workspace/server.ts';
import { SECRET, TOKEN } from './local-workspace.ts';

const addresses = new WeakMap<object, string>();

/** Where an app that was started takes deliveries. */
export function appUrl(app: object): string {
  return addresses.get(app) ?? '';
}

/** A real Bolt app that the workspace delivers to. */
export async function startApp(workspace: Workspace, register: (app: App) => void) {
  const app = new App({
    token: TOKEN,
    signingSecret: SECRET,
    // Else the app asks in the background who it is, and a short test has stopped the workspace by then.
    tokenVerificationEnabled: false,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
  });
  // An error in a listener must not bring down the test run; the workspace sees it as a bad answer.
  app.error(() => Promise.resolve());
  register(app);
  const server = await app.start({ port: 0, host: '127.0.0.1' });
  addresses.set(app, `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
  workspace.setAppUrl(appUrl(app));
  return app;
}

/** The body of a delivery as listeners see it, for tests that read it whole. */
export type Body = Record<string, unknown>;
