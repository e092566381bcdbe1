import { afterEach, expect, it } from 'vitest';
import { appManifest } from '../../../bin/manifest/app-manifest.ts';
import { slashCommands } from '../../../handlers/dispatch/card-command.ts';
import manifest from '../../../manifest.json' with { type: 'json' };
import { DEFAULT_COMMAND, DEFAULT_ZONE, useInstallation } from '../../../src/core/installation.ts';

afterEach(() => useInstallation({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE }));

it('equals manifest.json with the default configuration', () => {
  expect(appManifest(null)).toEqual(manifest);
});

it('adds the commands of further card programs to those of the first', () => {
  const { features } = appManifest(null, ['/card', '/card-eu']);

  const own = manifest.features.slash_commands.map(({ command }) => command);
  expect(features.slash_commands.map(({ command }) => command)).toEqual([
    ...own,
    ...own.map((command) => command.replace('/card', '/card-eu')),
  ]);
});

it('uses the configured command, its short forms, which all have listeners, and the given URL', () => {
  useInstallation({ command: '/pay', serviceZone: DEFAULT_ZONE });
  const { features, settings } = appManifest('https://cards.example.com');

  expect(features.slash_commands.map(({ command }) => command)).toEqual([...slashCommands().keys()]);
  expect([...slashCommands().keys()]).toEqual(['/pay', '/pay-activate', '/pay-block', '/pay-limit']);
  for (const { url } of features.slash_commands) expect(url).toBe('https://cards.example.com/slack/events');
  expect(JSON.stringify(settings)).not.toContain('cardbell.example.com');
});
