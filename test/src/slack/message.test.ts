import { describe, expect, it } from 'vitest';
import { createPermalink } from '../../../src/slack/message.ts';

const MESSAGE = ['C1', '1700000000.000100'] as const;

describe('the address of a message', () => {
  it('is made from the address of the workspace, which is asked for once', async () => {
    let asked = 0;
    const permalink = createPermalink(async () => {
      asked += 1;
      return { url: 'https://acme.slack.com/' };
    });

    expect(await permalink(...MESSAGE)).toBe('https://acme.slack.com/archives/C1/p1700000000000100');
    await permalink(...MESSAGE);
    expect(asked, 'times that Slack was asked for the workspace').toBe(1);
  });

  it('is not known while Slack does not answer, and Slack is asked again after a minute', async () => {
    let nowMs = 0;
    let answer = (): Promise<{ url: string }> => Promise.reject(new Error('away'));
    const permalink = createPermalink(
      () => answer(),
      () => nowMs,
    );
    expect(await permalink(...MESSAGE)).toBeNull();
    answer = async () => ({ url: 'https://acme.slack.com/' });

    nowMs = 59_000;
    expect(await permalink(...MESSAGE), 'too early to ask again').toBeNull();
    nowMs = 60_000;
    expect(await permalink(...MESSAGE)).toContain('/archives/C1/');
  });
});
