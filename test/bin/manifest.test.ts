import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

it.each([
  [{}, false],
  [{ SLACK_APP_TOKEN: ' ' }, false],
  [{ SLACK_APP_TOKEN: 'xapp-1-A1-1-a' }, true],
  [{ SLACK_APP_TOKEN_FILE: '/run/secrets/slack-app-token', PROGRAMS: 'eu' }, true],
] as const)('the manifest, given %j, turns Socket Mode on: %s', async (env, isOn) => {
  const { code, out } = await runCommand('manifest', [], env);
  const { settings } = JSON.parse(out) as { settings: { socket_mode_enabled: boolean } };

  expect([code, settings.socket_mode_enabled]).toEqual([0, isOn]);
});
