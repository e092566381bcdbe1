import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optionalScopes, scopes } from '../bin/manifest/app-manifest.ts';
import { slashCommands } from '../handlers/dispatch/card-command.ts';
import { callbackId } from '../src/slack/action-id.ts';

const text = (path: string): string => readFileSync(path, 'utf8');
const manifest = JSON.parse(text('manifest.json')) as {
  settings: { interactivity: { request_url: string; message_menu_options_url: string } };
  features: {
    shortcuts: { name: string; callback_id: string; description: string }[];
    slash_commands: { command: string; description: string; usage_hint: string }[];
  };
  oauth_config: { scopes: { bot: string[]; bot_optional: string[] } };
  display_information: { name: string; description: string; long_description: string };
};

describe('the Slack app manifest', () => {
  it('requests the scopes that the code explains, each explained in README', () => {
    expect([...manifest.oauth_config.scopes.bot].sort()).toEqual(Object.keys(scopes).sort());
    for (const scope of Object.keys(scopes)) expect(text('README.md')).toContain(`\`${scope}\``);
  });

  it('requests dispensable scopes as optional, and README says what changes without each', () => {
    const { bot, bot_optional } = manifest.oauth_config.scopes;
    expect(bot_optional).toEqual(Object.keys(optionalScopes));
    expect(bot).toEqual(expect.arrayContaining(bot_optional));
    for (const without of Object.values(optionalScopes)) expect(text('README.md')).toContain(without);
  });

  it('has every command with a listener', () => {
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual([...slashCommands().keys()]);
  });

  it('has every shortcut with a listener, and the options URL of the menus', () => {
    const { shortcuts } = manifest.features;
    expect(shortcuts.map(({ callback_id }) => callback_id)).toEqual([
      callbackId.explainDecline,
      callbackId.cardCommand,
    ]);
    for (const { name, description } of shortcuts) {
      expect(text('README.md')).toContain(name);
      expect(name.length).toBeLessThanOrEqual(24);
      expect(description.length).toBeLessThanOrEqual(150);
    }
    const { interactivity } = manifest.settings;
    expect(interactivity.message_menu_options_url).toBe(interactivity.request_url);
  });

  it('stays within Slack’s limits', () => {
    const { name, description, long_description } = manifest.display_information;
    expect(name.length).toBeLessThanOrEqual(35);
    expect(description.length).toBeLessThanOrEqual(140);
    expect(long_description.length).toBeGreaterThanOrEqual(174);
    expect(long_description.length).toBeLessThanOrEqual(4000);
    for (const command of manifest.features.slash_commands) {
      expect(command.command.length).toBeLessThanOrEqual(32);
      expect(command.usage_hint.length).toBeLessThanOrEqual(1000);
    }
  });
});

describe('the scripts of package.json', () => {
  it.each(['manifest', 'workspace'])('run %s with the variables of .env', (name) => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };

    expect(scripts[name]).toBe(`exec node --env-file-if-exists=.env dist/bin/${name}.js`);
  });

  it('that end with a program of our own replace their shell by it, so that a signal to npm stops it', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const last = Object.values(scripts).map((script) => script.split('&&').at(-1)?.trim() ?? '');

    expect(last.filter((command) => /^(?:node|tsx) /.test(command))).toEqual([]);
    expect(last.filter((command) => /^exec (?:node|tsx) /.test(command))).not.toHaveLength(0);
  });
});

describe('the documents', () => {
  it('include a README with the test command of CI', () => {
    const command = /npm ci && npm test/;

    expect(text('README.md')).toMatch(command);
    expect(text('.ci/run')).toMatch(command);
  });

  it('contain no machine-specific paths', () => {
    for (const path of ['README.md', 'CONTRIBUTING.md', 'docs/sandbox.md']) {
      expect(text(path)).not.toMatch(/(^|[^A-Za-z0-9_.])\/(work|root|home)\/[A-Za-z]/);
    }
  });
});
