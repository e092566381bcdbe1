import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccountDetails, ListedAccount } from '../../../src/card-api/schema-account.ts';
import { type CardStatus, CardStatusEvent } from '../../../src/core/event.ts';
import { CLOCK_SKEW_MS } from '../../../src/core/service-time.ts';
import { type DirectoryAccount, withDetails, withEvent, withListed } from '../../../src/directory/account.ts';
import { isUnsure } from '../../../src/directory/newest-status.ts';
import { examples } from '../../support/examples.ts';

const startMs = Date.parse('2026-11-20T12:00:00Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

function webhook(status: CardStatus, callbackMs: number, receivedMs: number): CardStatusEvent {
  return CardStatusEvent.parse({
    id: 'evt_0123456789abcdef',
    kind: 'card-status',
    callbackAt: at(callbackMs),
    receivedAt: at(receivedMs),
    acctId: 7,
    holder: 'Jane Doe',
    customId: null,
    cards: [{ cardId: 71, last4: '7171', status, cardOrderId: null }],
  });
}

/** What the card service answers to a request at `askedMs`. */
function answered(known: DirectoryAccount | null, status: CardStatus, askedMs: number, isList = false) {
  const details = { AccountId: 7, CardList: [{ CardId: 71, Last4CardNumber: '7171', CardStatus: status }] };
  const listed = { AccountId: 7, CardStatus: status, CardNumber4Digits: '7171' };
  // However long the answers took.
  const times = { at: at(askedMs), mergedAt: at(askedMs + 3_600_000) };
  return isList
    ? withListed(known, ListedAccount.parse(listed), times)
    : withDetails(known, AccountDetails.parse(details), times);
}

const learned = (known: DirectoryAccount, event: CardStatusEvent, nowMs: number): DirectoryAccount =>
  withEvent(known, event, at(nowMs)) ?? known;

const statusOf = ({ cards }: DirectoryAccount) => cards[0]?.status;

describe("however the card service's clock differs", () => {
  it.each([400, 30_000, 0, -400, -30_000])('by %i ms, a webhook does not overtake a later one', (skewMs) => {
    const known = answered(null, 'INACTIVE', 0);
    const activated = webhook('ACTIVE', 60_000 + skewMs, 60_060);

    const blocked = learned(known, webhook('BLOCKED', 60_005 + skewMs, 60_070), 60_070);

    expect(statusOf(learned(blocked, activated, 61_260))).toBe('BLOCKED');
  });

  it.each([30_000, 0, -1000, -30_000])(
    'by %i ms, a webhook is newer than what was read before the change',
    (skewMs) => {
      const known = answered(answered(null, 'BLOCKED', 0), 'BLOCKED', 60_000);

      const told = learned(known, webhook('ACTIVE', 60_300 + skewMs, 60_500), 60_500);

      expect(statusOf(told)).toBe('ACTIVE');
      expect(isUnsure(told), 'the answer may show a later change').toBe(true);
      expect(isUnsure(answered(told, 'ACTIVE', 60_600))).toBe(false);
    },
  );
});

it('what was read after a webhook had arrived is newer than it', () => {
  const activated = webhook('ACTIVE', 60_000, 60_060);

  const told = learned(answered(answered(null, 'INACTIVE', 0), 'BLOCKED', 60_100), activated, 61_260);

  expect([statusOf(told), isUnsure(told)]).toEqual(['BLOCKED', false]);
});

it.each([
  ['ACTIVE', 60_000, 'correct clocks differ by less'],
  ['BLOCKED', 59_999, 'by a slow clock'],
] as const)('the card is %s if a webhook has a time %i ms before an answer: %s', (status, earlierMs, _why) => {
  const known = answered(null, 'ACTIVE', 100_000);

  const told = learned(known, webhook('BLOCKED', 100_000 - earlierMs, 200_000), 200_000);

  expect(statusOf(told)).toBe(status);
});

it('what a recovery reports was read, so a change right after it is not older', () => {
  const known = answered(answered(null, 'ACTIVE', 0), 'BLOCKED', 60_000);
  const recovered = { ...webhook('BLOCKED', 60_000, 60_000), isSeen: true as const };

  const told = learned(learned(known, recovered, 360_000), webhook('ACTIVE', 59_800, 60_900), 360_100);

  expect(statusOf(told)).toBe('ACTIVE');
});

it('a webhook that was sent long after it arrived, by a wrong clock, does not stand until then', () => {
  const told = learned(answered(null, 'ACTIVE', 0), webhook('BLOCKED', 9_000_000, 60_000), 60_000);

  expect(statusOf(learned(told, webhook('ACTIVE', 300_000, 300_100), 300_100))).toBe('ACTIVE');
});

interface Step {
  readonly nowMs: number;
  /** The latest change that the card service had made for sure by then. */
  readonly knows: (known: DirectoryAccount) => number;
  readonly take: (known: DirectoryAccount) => DirectoryAccount;
}

const soon = fc.oneof(fc.nat(20), fc.nat(2000), fc.nat(90_000));

/** Changes of one card, their webhooks and answers of the API, in any order that their times allow. */
const stories = fc.record({
  skewMs: fc.integer({ min: 1 - CLOCK_SKEW_MS, max: CLOCK_SKEW_MS - 1 }),
  changes: fc.array(
    fc.record({
      status: fc.constantFrom<CardStatus>('INACTIVE', 'ACTIVE', 'BLOCKED'),
      afterMs: soon.map((ms) => ms + 1),
      arrivesInMs: soon,
      waitsMs: soon,
    }),
    { minLength: 1, maxLength: 6 },
  ),
  answers: fc.array(
    fc.record({
      afterChange: fc.nat(5),
      askedInMs: soon,
      readInMs: soon,
      comesInMs: soon,
      isList: fc.boolean(),
    }),
    { maxLength: 8 },
  ),
});

it('the status never goes back: it is as new as everything that was known, or it is read again', () => {
  fc.assert(
    fc.property(stories, ({ skewMs, changes, answers }) => {
      const history: { status: CardStatus; atMs: number }[] = [{ status: 'INACTIVE', atMs: 0 }];
      const steps: Step[] = [];
      for (const [index, { status, afterMs, arrivesInMs, waitsMs }] of changes.entries()) {
        // Twice the time: what is received and what is asked never has the same.
        const atMs = (history.at(-1)?.atMs ?? 0) + 2 * afterMs;
        history.push({ status, atMs });
        const event = webhook(status, atMs + skewMs, atMs + 2 * arrivesInMs);
        const nowMs = atMs + 2 * (arrivesInMs + waitsMs);
        steps.push({ nowMs, knows: () => index + 1, take: (known) => learned(known, event, nowMs) });
      }
      const changeAt = (ms: number): number => history.findLastIndex(({ atMs }) => atMs <= ms);
      for (const { afterChange, askedInMs, readInMs, comesInMs, isList } of answers) {
        const at = (history[afterChange % history.length]?.atMs ?? 0) + 2 * askedInMs + 1;
        const { status } = history[changeAt(at + readInMs)] ?? { status: 'INACTIVE' };
        const take = (known: DirectoryAccount) => answered(known, status, at, isList);
        // A list that shows nothing new is not stored.
        const knows = (known: DirectoryAccount) => (isList && statusOf(known) === status ? 0 : changeAt(at));
        steps.push({ nowMs: at + readInMs + comesInMs, knows, take });
      }

      let known = answered(null, 'INACTIVE', -CLOCK_SKEW_MS);
      let knows = 0;
      for (const step of steps.toSorted((a, b) => a.nowMs - b.nowMs)) {
        knows = Math.max(knows, step.knows(known));
        known = step.take(known);
        const possible = history.slice(knows, changeAt(step.nowMs) + 1).map(({ status }) => status);
        if (!isUnsure(known)) expect(possible).toContain(statusOf(known));
      }
      expect(statusOf(known), 'after all webhooks').toBe(history.at(-1)?.status);
    }),
    { numRuns: examples(150) },
  );
});
