import { describe, expect, it } from 'vitest';
import type { CardStatus } from '../../../src/alert/event.ts';
import { type StatusRecord, type StatusStory, tellStatusStory } from '../../../src/alert/status-story.ts';

const card = { cardId: 82_002, last4: '5072' };

/** `ACTIVE@0 BLOCKED@2`: statuses with the second in which the service told them; the event id is the place. */
function history(text: string): StatusRecord[] {
  return text.split(' ').map((entry, index) => {
    const [status, second = '0'] = entry.split('@');
    const callbackAt = new Date(Date.UTC(2026, 2, 2, 12, 0, Number(second))).toISOString();
    return { eventId: `e${index}`, status: status as CardStatus, callbackAt };
  });
}

const tell = (eventId: string, text: string, knownBefore: CardStatus | null): StatusStory =>
  tellStatusStory(card, eventId, history(text), knownBefore);

describe('a status change', () => {
  it.each([
    ['a card is made', 'INACTIVE@0', null, 'e0', null, ['INACTIVE']],
    ['a card is activated', 'INACTIVE@0 ACTIVE@500', null, 'e1', 'INACTIVE', ['ACTIVE']],
    ['an active card is blocked', 'BLOCKED@0', 'ACTIVE', 'e0', 'ACTIVE', ['BLOCKED']],
    ['a blocked card is unblocked', 'BLOCKED@0 ACTIVE@9', null, 'e1', 'BLOCKED', ['ACTIVE']],
    ['the directory was read after the change', 'BLOCKED@0', 'BLOCKED', 'e0', null, ['BLOCKED']],
    ['an inactive card is blocked', 'INACTIVE@0 ACTIVE@500 BLOCKED@501', null, 'e2', 'INACTIVE', ['ACTIVE', 'BLOCKED']],
    ['its first half is told', 'INACTIVE@0 ACTIVE@500 BLOCKED@501', null, 'e1', 'INACTIVE', ['ACTIVE', 'BLOCKED']],
    ['both halves are all that is known', 'ACTIVE@0 BLOCKED@1', null, 'e1', null, ['ACTIVE', 'BLOCKED']],
    ['the directory knew it inactive', 'ACTIVE@0 BLOCKED@1', 'INACTIVE', 'e0', 'INACTIVE', ['ACTIVE', 'BLOCKED']],
    [
      'the halves are exactly a minute apart',
      'ACTIVE@0 BLOCKED@60',
      'INACTIVE',
      'e1',
      'INACTIVE',
      ['ACTIVE', 'BLOCKED'],
    ],
    ['the halves are more than a minute apart', 'ACTIVE@0 BLOCKED@61', 'INACTIVE', 'e1', 'ACTIVE', ['BLOCKED']],
    ['it was active all along', 'ACTIVE@0 BLOCKED@1', 'ACTIVE', 'e1', 'ACTIVE', ['BLOCKED']],
    ['it was unblocked and blocked again', 'BLOCKED@0 ACTIVE@5 BLOCKED@9', null, 'e2', 'ACTIVE', ['BLOCKED']],
  ] as const)('when %s', (_when, text, knownBefore, eventId, from, steps) => {
    const { change } = tell(eventId, text, knownBefore);

    expect(change).toMatchObject({ ...card, from });
    expect(change.steps.map(({ status }) => status)).toEqual(steps);
  });

  it('tells both webhooks of one wish in one message, whichever comes first', () => {
    const text = 'INACTIVE@0 ACTIVE@500 BLOCKED@501';

    expect(tell('e1', text, null)).toEqual(tell('e2', text, null));
    expect(tell('e1', text, null).eventIds).toEqual(['e1', 'e2']);
  });

  it.each([
    ['ACTIVE@0', null, 'e0', true],
    ['ACTIVE@0', 'INACTIVE', 'e0', true],
    ['ACTIVE@0', 'BLOCKED', 'e0', false],
    ['BLOCKED@0', 'INACTIVE', 'e0', false],
    ['INACTIVE@0 ACTIVE@5', null, 'e1', true],
    ['INACTIVE@0 ACTIVE@5 CLOSED@9', null, 'e1', false],
    ['ACTIVE@0 BLOCKED@1', 'INACTIVE', 'e0', false],
  ] as const)('%s of a card that was %s may still continue after %s: %s', (text, knownBefore, eventId, mayContinue) => {
    expect(tell(eventId, text, knownBefore).mayContinue).toBe(mayContinue);
  });

  it.each([
    ['ACTIVE@0 CLOSED@99', 'e0', 'CLOSED'],
    ['ACTIVE@0 BLOCKED@99 ACTIVE@200', 'e0', 'ACTIVE'],
    ['ACTIVE@0 CLOSED@99', 'e1', null],
    ['ACTIVE@0 BLOCKED@1 CLOSED@99', 'e0', 'CLOSED'],
    ['ACTIVE@0 BLOCKED@1', 'e0', null],
  ] as const)('in %s, event %s that arrives late is overtaken by %s', (text, eventId, overtakenBy) => {
    expect(tell(eventId, text, null).change.overtakenBy).toBe(overtakenBy);
  });

  it('that is in no history is a fault of ours', () => {
    expect(() => tell('e9', 'ACTIVE@0', null)).toThrow('does not hold the event');
  });
});
