import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createShowStatus } from '../../../src/alerts/show-status.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { holderDecline } from '../../../templates/holders/holder-decline.ts';
import { card, change, declined, raise, statusAlert } from '../../templates/fixtures.ts';
import { buttonIds, shown } from '../../templates/shown.ts';

const at = '2026-11-20T15:35:00.000Z';
const view = { place: 'private', channel: 'C1', isLong: false, now: new Date(at) } as const;
const inactive = declined('decline.card.status', 'The card is pending activation');
const blocked: TransactionAlert = { ...declined('decline.card.status', ''), remedy: { kind: 'unblock' } };

const { event: changed } = statusAlert([change()]);

type Listed = readonly [cardId: number, last4: string, status: CardStatus];
type Clocks = Partial<Record<'callbackAt' | 'receivedAt', string>>;
type By = { userId: string; actionId: string } | null;
type Changed = [CardStatus, By, ofAccount?: CardStatus | undefined, cards?: Listed[] | undefined, clocks?: Clocks];

/** An alert, and the later statuses of its card or of those that the event lists, a minute apart. */
async function showing(alert: TransactionAlert, ...statuses: Changed[]) {
  const outcomes = new Map<string, Outcome>();
  let saved = alert;
  const current = (): TransactionAlert => ({ ...saved, outcomes: [...alert.outcomes, ...outcomes.values()] });
  const updated: string[] = [];
  for (const [index, [status, by, ofAccount, cards, clocks]] of statuses.entries()) {
    const showStatus = createShowStatus({
      history: { alertsBetween: async () => [alert.event.id], expectedAction: async () => by },
      alerts: {
        get: async () => current(),
        async save(changed) {
          if (changed.kind === 'transaction') saved = changed;
        },
        setOutcome: async (_alertId, id, outcome) => void outcomes.set(id, outcome),
      },
      factsOf: async () => ({ ...card, status: ofAccount ?? status }),
      updateAlert: async (id) => void updated.push(id),
    });
    const own: Listed = [6231, '1212', status];
    const listed = (cards ?? [own]).map(([cardId, last4, of]) => ({ cardId, last4, status: of, cardOrderId: null }));
    const when = new Date(Date.parse(at) + index * 60_000).toISOString();
    const times = { callbackAt: when, receivedAt: when, ...clocks };
    await showStatus({ ...changed, id: `evt_status${index}`, ...times, cards: listed }, status);
  }
  const { blocks } = renderAlert(current(), view);
  const { card: facts } = saved;
  const seen = { text: shown(blocks), buttons: buttonIds(blocks) };
  return { ids: [...outcomes.keys()], updated, facts, current: current(), ...seen };
}

describe('an alert of a card that was not activated', () => {
  it('says who activated it, and that the purchase can be tried again, without the button', async () => {
    expect((await showing(inactive)).buttons).toContain('activate_card');

    const { ids, updated, text, buttons } = await showing(inactive, [
      'ACTIVE',
      { userId: 'U0OLGA', actionId: 'act_1' },
    ]);

    expect(text).toMatch(/\*Activated\* by <@U0OLGA> at /);
    expect(text).toContain('It is active by now. Have the purchase tried again.');
    expect(buttons).not.toContain('activate_card');
    expect([ids, updated]).toEqual([['act_1'], [inactive.event.id]]);
  });

  it('says that it was activated outside Slack', async () => {
    expect((await showing(inactive, ['ACTIVE', null])).text).toMatch(/\*Activated\* outside Slack at /);
  });

  it('shows nothing twice, and nothing of a card that is blocked without ever having been active', async () => {
    expect((await showing(inactive, ['ACTIVE', null], ['ACTIVE', null])).ids).toEqual(['status-evt_status0']);
    expect((await showing(inactive, ['BLOCKED', null])).ids).toEqual([]);
  });

  it('shows that it was blocked, and unblocked, after it was activated', async () => {
    const { text } = await showing(inactive, ['ACTIVE', null], ['BLOCKED', null], ['ACTIVE', null]);

    expect(text).toMatch(/\*Activated\*.*\*Blocked\*.*\*Unblocked\*/s);
  });
});

it('an alert of a blocked card says who unblocked it', async () => {
  const { text, buttons } = await showing(blocked, ['ACTIVE', { userId: 'U0ANA', actionId: 'act_1' }]);

  expect(text).toMatch(/was blocked.*\*Unblocked\* by <@U0ANA>/s);
  expect(text).toContain('Have the purchase tried again.');
  expect(buttons).not.toContain('approve_remedy');
});

it('a late decline of a card that was blocked since has its advice and buttons back once the card is unblocked', async () => {
  const overLimit = ['decline.rule.velocity', 'Transaction exceeded daily spend limit'] as const;
  const facts = { ...card, status: 'BLOCKED', isStatusLater: true } as const;
  const late = declined(...overLimit, { late: true, remedy: raise, card: facts });
  const before = await showing(late, ['BLOCKED', null]);
  expect([before.ids, before.text]).toEqual([[], expect.stringContaining('Blocked since.')]);

  const { ids, text, buttons } = await showing(late, ['ACTIVE', null], ['ACTIVE', null]);

  expect(ids).toEqual(['status-evt_status0']);
  expect(text).toMatch(/\*Unblocked\* outside Slack/);
  expect(text).not.toContain('Blocked since.');
  expect(buttons).toContain('block_card');
  expect((await showing(late, ['ACTIVE', null], ['BLOCKED', null])).text).toMatch(/\*Unblocked\*.*\*Blocked\*/s);
});

it('a decline with another cause says nothing of a status', async () => {
  const overLimit = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');

  expect((await showing(overLimit, ['BLOCKED', null], ['ACTIVE', null])).ids).toEqual([]);
});

describe('a decline with another cause on which the card was blocked', () => {
  const overLimit = ['decline.rule.velocity', 'Transaction exceeded daily spend limit'] as const;
  const blockedAt = (when: string) =>
    declined(...overLimit, {
      remedy: raise,
      outcomes: [{ verb: 'block', by: 'U0OLGA', at: when, state: 'done', text: '', confirmation: 'confirmed' }],
    });

  it('has its advice and buttons back once the card is unblocked elsewhere, and the holder theirs', async () => {
    const alert = blockedAt('2026-11-20T15:25:00.000Z');
    const ofHolder = (shownNow: TransactionAlert) =>
      buttonIds(holderDecline(shownNow, { ...view, place: 'direct' }).blocks);
    expect([(await showing(alert)).buttons, ofHolder(alert)].join()).not.toContain('block_card');

    const { ids, current, text, buttons } = await showing(alert, ['ACTIVE', { userId: 'U0ANA', actionId: 'act_1' }]);

    expect(ids).toEqual(['act_1']);
    expect(text).toMatch(/\*Unblocked\* by <@U0ANA>/);
    expect(buttons).toEqual(expect.arrayContaining(['approve_remedy', 'block_card']));
    expect(ofHolder(current).join()).toContain('block_card');
  });

  it('shows no unblock from before that block', async () => {
    expect((await showing(blockedAt('2026-11-20T15:36:00.000Z'), ['ACTIVE', null])).ids).toEqual([]);
  });

  it('shows that it is blocked again after that, and unblocked again, without the buttons of an active card meanwhile', async () => {
    const alert = blockedAt('2026-11-20T15:25:00.000Z');
    const unblocked: Changed = ['ACTIVE', { userId: 'U0ANA', actionId: 'act_1' }];
    const again: Changed = ['BLOCKED', { userId: 'U0BEN', actionId: 'act_2' }];

    const { ids, text, buttons } = await showing(alert, unblocked, again, again);

    expect(ids).toEqual(['act_1', 'act_2']);
    expect(text).toMatch(/\*Unblocked\* by <@U0ANA>.*\*Blocked\* by <@U0BEN>/s);
    expect(buttons.join()).not.toMatch(/block_card|approve_remedy/);
    const active = await showing(alert, unblocked, again, ['ACTIVE', null]);
    expect(active.ids).toEqual(['act_1', 'act_2', 'status-evt_status2']);
    expect(active.buttons).toEqual(expect.arrayContaining(['approve_remedy', 'block_card']));
  });

  it('shows no block from before an unblock that it shows', async () => {
    const late: Changed = ['BLOCKED', null, undefined, undefined, { callbackAt: '2026-11-20T15:30:00.000Z' }];
    const { ids } = await showing(blockedAt('2026-11-20T15:25:00.000Z'), ['ACTIVE', null], late);

    expect(ids).toEqual(['status-evt_status0']);
  });

  it('shows no unblock that arrived before that block, however fast the clock of the card service is', async () => {
    const early: Changed = ['ACTIVE', null, undefined, undefined, { receivedAt: '2026-11-20T15:24:00.000Z' }];

    expect((await showing(blockedAt('2026-11-20T15:25:00.000Z'), early)).ids).toEqual([]);
  });
});

describe('an alert of a card that was closed since', () => {
  const overLimit = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise });
  const { event } = overLimit;

  it('is to use another card, whatever declined the purchase, and has no button for the closed one', async () => {
    for (const alert of [overLimit, inactive, blocked]) {
      const { facts, ids, updated, text, buttons } = await showing(alert, ['CLOSED', null]);

      expect(facts).toEqual({ ...alert.card, status: 'CLOSED', isStatusLater: true });
      expect([ids, updated]).toEqual([[], [event.id]]);
      expect(text).toMatch(
        /[Cc]ard is closed\.\*? (?:It can never be used again\. )?Order a new card if one is needed/,
      );
      expect(text).not.toMatch(/is blocked|Raise the|tried again|unblock/);
      expect(buttons).toEqual(['acknowledge_alert', 'show_details']);
    }
  });

  it('is updated again when its delivery is repeated after a crash, and shows nothing twice', async () => {
    const once = await showing(overLimit, ['CLOSED', null]);
    const twice = await showing(overLimit, ['CLOSED', null], ['CLOSED', null]);

    expect(twice).toEqual({ ...once, updated: [event.id, event.id] });
  });

  it('keeps its buttons while the account has another card', async () => {
    const { updated, facts, buttons } = await showing(overLimit, ['CLOSED', null, 'ACTIVE']);

    expect([updated, facts]).toEqual([[], overLimit.card]);
    expect(buttons).toEqual(expect.arrayContaining(['approve_remedy', 'block_card']));
  });

  it('no longer says that it was blocked since, because a limit of the account still helps the other card', async () => {
    const facts = { ...card, status: 'BLOCKED', isStatusLater: true } as const;
    const late = { ...overLimit, late: true, card: facts };
    const closing: Changed = ['CLOSED', null, 'ACTIVE', [[6231, '1212', 'CLOSED']]];
    const once = await showing(late, closing);

    expect(once).toMatchObject({ updated: [event.id], ids: [] });
    expect(once.facts).not.toHaveProperty('status');
    expect(once.text).not.toMatch(/Blocked since|is closed/);
    expect(once.buttons).toEqual(expect.arrayContaining(['approve_remedy', 'block_card']));
    expect(await showing(late, closing, closing), 'after a crash').toEqual({ ...once, updated: [event.id, event.id] });
    expect((await showing(late, closing, ['CLOSED', null])).text).toContain('The card is closed.');
  });

  it('does not say that the closing came later if the card was closed when its alert was made', async () => {
    const facts = { ...card, status: 'CLOSED' } as const;

    expect((await showing({ ...overLimit, card: facts }, ['CLOSED', null])).facts).toEqual(facts);
  });
});

describe('an alert of a card that is being replaced', () => {
  const olga = { userId: 'U0OLGA', actionId: 'act_1' };
  const replacement = [6232, '3434', 'ACTIVE'] as const;
  const ofBlocked: TransactionAlert = { ...blocked, card: { ...card, status: 'BLOCKED' } };

  it.each([
    ['blocked', ofBlocked],
    ['never activated', inactive],
  ])('does not say that the old card, which was %s, works again', async (_name, alert) => {
    const { ids, updated, text } = await showing(alert, ['ACTIVE', olga, 'ACTIVE', [replacement]]);

    expect([ids, updated]).toEqual([[], []]);
    expect(text).not.toMatch(/U0OLGA|tried again|active by now/);
  });

  it.each([
    ['one webhook', [['ACTIVE', olga, 'ACTIVE', [[6231, '1212', 'CLOSED'], replacement]]]],
    [
      'two webhooks',
      [
        ['ACTIVE', olga, 'ACTIVE', [replacement]],
        ['CLOSED', olga, 'ACTIVE', [[6231, '1212', 'CLOSED']]],
      ],
    ],
  ] satisfies [string, Changed[]][])('says that the old card is closed, after %s', async (_name, webhooks) => {
    const { ids, facts, text, buttons } = await showing(ofBlocked, ...webhooks);

    expect(ids).toEqual([]);
    expect(facts).toMatchObject({ status: 'CLOSED', isStatusLater: true });
    expect(text).toMatch(/card is closed/i);
    expect(buttons).toEqual(['acknowledge_alert', 'show_details']);
  });

  it('shows a change of the account if it is not known which card was declined', async () => {
    const unnamed = { ...inactive, card: { ...card, cardId: null, last4: null } };

    expect((await showing(unnamed, ['ACTIVE', olga, 'ACTIVE', [replacement]])).ids).toEqual(['act_1']);
  });

  it('knows the card by its digits if it has no id yet', async () => {
    const ofDigits = { ...inactive, card: { ...card, cardId: null } };

    expect((await showing(ofDigits, ['ACTIVE', olga])).ids).toEqual(['act_1']);
    expect((await showing(ofDigits, ['ACTIVE', olga, 'ACTIVE', [replacement]])).ids).toEqual([]);
  });
});
