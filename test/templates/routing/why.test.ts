import { describe, expect, it } from 'vitest';
import type { EventLogStep } from '../../../src/alerts/event-log.ts';
import { why } from '../../../templates/routing/why.ts';
import { shown } from '../shown.ts';

const facts = {
  id: 'evt_0123456789abcdef',
  what: 'Jane Doe · card 1212 was declined.',
  callbackAt: '2026-11-20T14:14:05Z',
  receivedAt: '2026-11-20T14:20:00Z',
  times: 2,
  steps: [],
  ofFirst: [],
  posted: [],
  others: 0,
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

  const step = (name: EventLogStep['step'], channel: string | null): EventLogStep => ({
    step: name,
    at: '2026-11-20T14:20:00Z',
    channel,
    text: 'Because.',
  });

  it.each<[string, EventLogStep[], string]>([
    ['waits', [step('routed', 'C1'), step('held', 'C1')], 'It has not been posted anywhere yet.'],
    ['waits in one of two', [step('routed', 'C1'), step('routed', 'C2'), step('muted', 'C1')], 'anywhere yet.'],
    ['is withheld', [step('routed', 'C1'), step('muted', 'C1')], 'It has not been posted anywhere.'],
    ['has no channel', [step('skipped', null)], 'It has not been posted anywhere.'],
    [
      'was deleted in one and waits in another',
      [step('routed', 'C1'), step('routed', 'C2'), step('posted', 'C1'), step('held', 'C2')],
      'It was posted, but its message is gone. It has not been posted everywhere yet.',
    ],
    ['waits where it was sent instead', [step('routed', 'C1'), step('redirected', 'C1')], 'anywhere yet.'],
    [
      'was deleted where it was sent instead',
      [step('routed', 'C1'), step('redirected', 'C1'), step('posted', 'C0ALL')],
      'It was posted, but its message is gone.',
    ],
    [
      'waits to be posted in the thread of a warning',
      [step('routed', 'C1'), step('grouped', 'C1')],
      'It has not been posted anywhere yet.',
    ],
    [
      'was deleted with others',
      [step('routed', 'C1'), { ...step('grouped', 'C1'), text: 'Posted in one message with 2 others.' }],
      'It was posted, but its message is gone.',
    ],
    ['was deleted', [step('routed', 'C1'), step('posted', 'C1')], 'It was posted, but its message is gone.'],
  ])('says of an event without a message that it %s', (_what, steps, ending) => {
    const { text, blocks } = why({ ...facts, isLate: false, steps });

    expect(text.endsWith(ending)).toBe(true);
    expect(shown(blocks)).toContain(`${ending}*`);
  });

  it.each<[string, EventLogStep[], string]>([
    ['waits while the first does', [step('held', 'C1')], 'It has not been posted anywhere yet.'],
    ['was deleted with the first', [step('posted', 'C1')], 'It was posted, but its message is gone.'],
  ])('says of a repeat without a message that it %s', (_what, ofFirst, ending) => {
    const steps = [step('routed', 'C1'), step('grouped', 'C1')];

    expect(why({ ...facts, isLate: false, steps, ofFirst }).text.endsWith(ending)).toBe(true);
  });
});
