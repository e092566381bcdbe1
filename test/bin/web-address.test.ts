import { expect, it } from 'vitest';
import { addressFlag } from '../../bin/web-address.ts';
import { UsageError } from '../../sandbox/cli-flags.ts';
import { runCommand } from '../support/run-command.ts';

it.each(['', '/', '/slack/events', '/slack/events/'])(
  'takes the address with “%s” at its end, which Slack calls the request URL with its path',
  (end) => {
    expect(addressFlag(`https://cards.example.com${end}`, ['https:'])).toBe('https://cards.example.com');
  },
);

it('keeps the path under which a proxy serves web, and refuses what is no such address', () => {
  expect(addressFlag('https://example.com/cards/slack/events', ['https:'])).toBe('https://example.com/cards');
  expect(addressFlag(undefined, ['https:'])).toBeNull();
  expect(() => addressFlag('cards.example.com', ['https:'])).toThrow(UsageError);
});

it('manifest prints each request URL once it is given, and refuses HTTP, which Slack does not call', async () => {
  const given = await runCommand('manifest', ['--url', 'https://cards.example.com/slack/events'], {});
  const insecure = await runCommand('manifest', ['--url', 'http://cards.example.com'], {});

  expect(given.code).toBe(0);
  expect(given.out).toContain('"https://cards.example.com/slack/events"');
  expect(given.out).not.toContain('/slack/events/slack/events');
  expect(insecure).toMatchObject({ code: 64, out: '' });
  expect(insecure.err).toMatch(/^manifest: --url must be a URL that starts with https:\/\/\n/);
});
