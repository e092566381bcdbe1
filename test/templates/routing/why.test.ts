import { describe, expect, it } from 'vitest';
import { why } from '../../../templates/routing/why.ts';
import { shown } from '../shown.ts';

const facts = {
  id: 'evt_0123456789abcdef',
  what: 'Jane Doe · card 1212 was declined.',
  callbackAt: '2026-11-20T14:14:05Z',
  receivedAt: '2026-11-20T14:20:00Z',
  times: 2,
  steps: [],
  posted: [],
};

describe('/card why', () => {
  it('shows how often an event arrived by webhook', () => {
    const { text, blocks } = why({ ...facts, isLate: false });

    expect(shown(blocks)).toContain('*Delivered 2 times*');
    expect(text + shown(blocks)).not.toMatch(/gap|Recovered/);
  });

  it('says that no webhook brought a recovered event', () => {
    const { text, blocks } = why({ ...facts, isLate: true });

    expect(text).toContain('Its webhook was missed and fetched after a gap, or did not fit and was replayed.');
    expect(shown(blocks)).toMatch(/\*Recovered\*<!date.*after a gap/);
    expect(shown(blocks)).not.toMatch(/Delivered|the card service sent it/);
  });
});
