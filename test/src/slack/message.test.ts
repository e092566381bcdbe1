import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPermalink, plainMessage } from '../../../src/slack/message.ts';

afterEach(() => {
  vi.useRealTimers();
});

const MESSAGE = ['C1', '1700000000.000100'] as const;

describe('the link to a message', () => {
  it('is built from the workspace URL, which is looked up once', async () => {
    let asked = 0;
    const permalink = createPermalink(async () => {
      asked += 1;
      return { url: 'https://acme.slack.com/' };
    });

    expect(await permalink(...MESSAGE)).toBe('https://acme.slack.com/archives/C1/p1700000000000100');
    await permalink(...MESSAGE);
    expect(asked, 'lookups of the workspace').toBe(1);
  });

  it('is known to all who ask before Slack has answered', async () => {
    let asked = 0;
    const permalink = createPermalink(async () => {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return { url: 'https://acme.slack.com/' };
    });

    const [first, second] = await Promise.all([permalink(...MESSAGE), permalink(...MESSAGE)]);

    expect([first, second, asked]).toEqual([first, first, 1]);
  });

  it('is unknown while Slack does not answer, and looked up again after a minute', async () => {
    vi.useFakeTimers();
    let answer = (): Promise<{ url: string }> => Promise.reject(new Error('unavailable'));
    const permalink = createPermalink(() => answer());
    expect(await permalink(...MESSAGE)).toBeNull();
    answer = async () => ({ url: 'https://acme.slack.com/' });

    vi.advanceTimersByTime(59_000);
    expect(await permalink(...MESSAGE), 'too early to look up again').toBeNull();
    vi.advanceTimersByTime(1_000);
    expect(await permalink(...MESSAGE)).toContain('/archives/C1/');
  });
});

it('cuts a plain text neither inside a character nor inside a token of Slack', () => {
  expect(plainMessage({ text: `${'x'.repeat(2999)}😀`, blocks: [] }).text).not.toMatch(/\p{Cs}/u);
  expect(plainMessage({ text: `${'x'.repeat(2990)} <!date^1^{time}|9:00 AM> `.repeat(2), blocks: [] }).text).toMatch(
    /x…$/,
  );
});
