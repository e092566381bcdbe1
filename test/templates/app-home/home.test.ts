import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HomePages, listPage, turnOf } from '../../../src/app-home/home-page.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import { goalsOf } from '../../../src/card-api/rule-change.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import type { Claim } from '../../../src/holders/claim-store.ts';
import { VIEW_BLOCKS_MAX } from '../../../src/slack/limits.ts';
import { type Home, home } from '../../../templates/app-home/home.ts';
import { CARDS_SHOWN, type OwnCardFacts } from '../../../templates/app-home/home-own-cards.ts';
import { homeProgramMenu } from '../../../templates/app-home/program-menu.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { calmHealth } from '../../support/calm-health.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { card, transactionAlert } from '../fixtures.ts';
import { buttonIds, buttons, shown } from '../shown.ts';

const limit = { period: 'daily', category: null, limitCents: 40_000, remainingCents: 38_000 } as const;
const decline = {
  occurredAt: '2026-11-20T14:14:00Z',
  amountCents: 8410,
  merchant: { ...transactionAlert().event.merchant, name: 'Blue Bottle Coffee' },
  decline: { code: 'decline.card.pin', message: 'Incorrect PIN' },
};
const own: OwnCardFacts = {
  card,
  value: 'sealed',
  status: 'ACTIVE',
  isStatusRead: true,
  readAt: '2026-11-20T14:19:30Z',
  balance: 15_600,
  limits: [limit],
  hasLimits: true,
  declines: [decline],
};
const claimOf = (userId: string): Claim => ({
  id: 'clm_1',
  action: ask('claim', { actor: { userId, teamId: 'T1' }, askedAt: '2026-11-20T14:14:00Z' }),
  card: { acctId: card.acctId ?? 0, isSameName: true, isSameEmail: false },
  expiresAt: '2026-11-21T14:14:00Z',
  state: 'open',
});
const claim = {
  claim: claimOf('U9'),
  card,
  value: 'clm_1',
  heldBy: 'U8',
  isSameName: true,
  isSameEmail: false,
  mayDecide: true,
};
const health = { ...calmHealth, memory: { share: 0.5, refusedFrom: 0.85 } };
const changes = [limitChange('daily', 40_000, 45_000)];
const request = {
  ...openRequestOf({
    id: 'req_1',
    action: ask('limit', {
      actor: { userId: 'U9', teamId: 'T1' },
      askedAt: '2026-11-20T14:14:00Z',
      reason: 'team lunch',
      changeRequest: { goals: goalsOf(changes), term: { kind: 'permanent' } },
    }),
    changes,
    term: { kind: 'permanent' },
    facts: { ...noFacts, purchase: { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null } },
    approvals: [{ by: 'U9', at: '2026-11-20T14:14:00Z', actionId: null }],
    needed: 2,
  }),
  mayDecide: true,
};
const askedBy = (text: string) => ({ ...request.action, reason: text, actor: { userId: text, teamId: 'T1' } });
const raise = {
  value: 'act_1',
  card,
  changes,
  by: 'U2',
  endsAt: '2026-11-20T15:02:00Z',
  leftMs: 42 * 60_000,
  isUnconfirmed: false,
  mayRevert: true,
};
const mute = { card, kind: 'travel' as const, by: 'U3', reason: 'trade fair', endsAt: '2026-11-25T12:00:00Z' };
const team = {
  isApprover: true,
  requests: [request],
  temporaryChanges: [raise],
  mutes: [mute],
  claims: [claim],
  declines: [{ ...decline, card }],
  inactive: [{ card, value: 'sealed' }],
  health,
};
const warning = { merchant: 'Corner Diner', link: 'https://example.slack.com/archives/C1/p1' };
const ruleset = { id: 12, name: 'Travel', mayOverrule: true };
const programs = [
  { name: '', command: '/card' },
  { name: 'eu', command: '/card-eu' },
];
const only = <T>(one: T) => listPage([one], 1, 5);
const none = listPage<typeof own>([], 1, 5);
const at = '2026-11-20T14:20:00Z';
const preferences = { off: [], digest: null, quiet: null, delegates: [] };
const delegate = { current: null, allowed: [] };

const read = (facts: Partial<Home>): string =>
  shown(home({ at, own: none, ownRequests: [], preferences, delegate, team: null, pages: {}, ...facts }).blocks);

describe('App Home', () => {
  it('says which of how many cards waiting for activation it shows', () => {
    const waiting = (count: number) =>
      read({ team: { ...team, inactive: Array.from({ length: count }, () => ({ card, value: 'sealed' })) } });

    expect(waiting(5)).toMatch(/Waiting to be activated$/m);
    expect(waiting(7)).toContain('Waiting to be activated (1 to 5 of 7)');
    expect(waiting(200), 'no more are read').toContain('Waiting to be activated (1 to 5 of at least 200)');
  });

  it('says of cards without declines only that none came as an alert: the card service is not asked for them', () => {
    expect(read({ own: only({ ...own, declines: [] }) })).toContain('No recent declines among my alerts.');
    expect(read({ team: { ...team, declines: [] } })).toContain('No recent declines among my alerts.');
  });

  it('does not present the latest declines as all of them', () => {
    const declined = (count: number) =>
      read({ team: { ...team, declines: Array.from({ length: count }, () => ({ ...decline, card })) } });

    expect(declined(49)).toMatch(/Recent declines \(1 to \d+ of 49\)/);
    expect(declined(50)).toMatch(/Recent declines \(1 to \d+ of at least 50\)/);
  });

  it('names the account of a claimed card whose digits are not known', () => {
    const unknown = { ...card, last4: null, cardId: null, acctId: 610_001 };

    expect(read({ team: { ...team, claims: [{ ...claim, card: unknown }] } })).toContain(
      'says card of account 610001 is theirs',
    );
  });

  it('says in words what the bar shows', () => {
    expect(read({ own: only(own) })).toMatch(/Daily: \$380\.00 of \$400\.00 left {2}▰+▱?/);
  });

  it('says when the limits cannot be read, and when there are none', () => {
    expect(read({ own: only({ ...own, limits: [], hasLimits: false }) })).toMatch(/limits are not available/);
    expect(read({ own: only({ ...own, limits: [] }) })).toMatch(/No limit is set/);
  });

  it('says when a card was read if that is not the time of the page, and when it is read again', () => {
    const page = (readAt: string) => read({ own: only({ ...own, readAt }) });

    expect(page('2026-11-20T14:19:30Z').match(/\|As of/g), 'read for this page').toHaveLength(1);
    expect(page('2026-11-20T13:05:00Z')).toMatch(
      /left {2}.*\n.*\|As of Nov 20.* 8:05 AM.*\n[\s\S]*\|As of Nov 20.* 9:20 AM/,
    );
    expect(page('2026-11-20T13:05:00Z')).toMatch(
      /Updates automatically; balances and limits when you open this page\.$/,
    );
    expect(read({}), 'nobody’s cards').toMatch(/Updates automatically\.$/);
  });

  it('dates no status that the card service did not give', () => {
    const old = { ...own, isStatusRead: false, readAt: '2026-11-20T13:05:00Z' };
    const nothing = { ...old, balance: null, limits: [], hasLimits: false };

    expect(read({ own: only(old) })).toMatch(/: last known as active\*[\s\S]*\|As of Nov 20.* 8:05 AM/);
    expect(read({ own: only(nothing) })).toMatch(/: last known as active\*/);
    expect(read({ own: only(nothing) }).match(/\|As of/g), 'of the page').toHaveLength(1);
    expect(read({ own: only({ ...nothing, status: null }) })).toMatch(/: status not known\*/);
  });

  it('shows a wrong PIN to the holder only', () => {
    expect(read({ own: only(own) })).toMatch(/wrong PIN/i);
    expect(read({ team })).not.toMatch(/PIN/);
  });

  it('counts temporary changes down, and shows mutes and open requests', () => {
    expect(read({ team })).toMatch(/\*Daily limit \$400\.00 → \$450\.00\* · Jane Doe · card 1212/);
    expect(read({ team })).toMatch(/Goes back in 42 minutes/);
    expect(read({ team: { ...team, temporaryChanges: [{ ...raise, leftMs: 0 }] } })).toMatch(
      /an approver has to decide/,
    );
    const unconfirmed = read({ team: { ...team, temporaryChanges: [{ ...raise, isUnconfirmed: true }] } });
    expect(unconfirmed).toMatch(/Not confirmed\. <!date\^\d+\^If the card service still makes it, it goes back /);
    expect(unconfirmed).not.toContain('Take back now');
    expect(read({ team })).toContain('Take back now');
    expect(read({ team: { ...team, temporaryChanges: [{ ...raise, mayRevert: false }] } })).not.toContain(
      'Take back now',
    );
    expect(read({ team })).toMatch(/declines abroad hidden <!date\^\d+\^until /);
    expect(read({ team })).toMatch(/1 of 2 approvals · <!date\^\d+\^asked /);
  });

  it.each([
    [{}, /All systems normal/],
    [{ waiting: 1, quarantined: 1 }, /1 job waiting\..*1 webhook could not be read and is in quarantine/s],
    [{ waiting: 3, lagMs: 42_000 }, /needs attention.*3 jobs waiting, the oldest for 42 seconds/s],
    [
      { overdue: { messages: 3, ms: 202_000 } },
      /needs attention.*3 messages waiting for Slack, the most urgent 3 minutes late\.\*\nNo errors/s,
    ],
    [{ overdue: { messages: 1, ms: 900 } }, /All systems normal.*No backlog/s],
    [{ isOpsUnreachable: true }, /needs attention.*Slack refuses messages in the ops channel/s],
    [{ isCardApiAway: true }, /needs attention.*is not responding/s],
    [{ refusedToken: 'EU_CARD_API_TOKEN' }, /needs attention.*EU_CARD_API_TOKEN/s],
    [
      { memory: { share: 0.873, refusedFrom: 0.85 } },
      /needs attention.*Redis is at 87% of its memory; webhooks are refused from 85%/s,
    ],
    [{ memory: { share: null, refusedFrom: 0.85 } }, /All systems normal/],
    [
      { failed: 1, stuck: [{ id: 'j1', what: 'alerts/deliver-alert', cause: 'boom' }] },
      /1 job failed permanently.*boom \(j1\)/s,
    ],
  ])("reports the bot's health: %j", (over, words) => {
    expect(read({ team: { ...team, health: { ...health, ...over } } })).toMatch(words);
  });

  it('lets approvers decide, and operators revert temporary changes and activate cards', () => {
    const looks = {
      ...team,
      isApprover: false,
      requests: [{ ...request, mayDecide: false }],
      claims: [{ ...claim, mayDecide: false }],
    };
    expect(buttonIds(home({ at, delegate, own: none, ownRequests: [], preferences, team, pages: {} }).blocks)).toEqual([
      'decide_request_approve',
      'decide_request_deny',
      'confirm_claim',
      'refuse_claim',
      'revert_now',
      'home_activate',
    ]);
    expect(
      buttonIds(home({ at, delegate, own: none, ownRequests: [], preferences, team: looks, pages: {} }).blocks),
    ).toEqual(['revert_now', 'home_activate']);
  });

  it('lets people end a delegation who are no approvers any more, and name nobody', () => {
    const given = { current: { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' }, allowed: ['U0BEN'] };
    const blocks = home({ at, delegate: given, own: none, ownRequests: [], preferences, team: null, pages: {} }).blocks;

    expect(buttonIds(blocks)).toEqual(['end_delegation']);
    expect(shown(blocks)).toContain('<@U0BEN> stands in for you');
  });

  it('says the balance of a card, or that the business pays', () => {
    expect(read({ own: only(own) })).toContain('Balance: $156.00');
    expect(read({ own: only({ ...own, balance: 'business' }) })).toContain('Balance: paid from the business balance');
  });

  it("has buttons for one's own card instead of commands, and none for an inactive card", () => {
    const cardButtons = (one: typeof own) =>
      buttonIds(
        home({ at, delegate, own: only(one), ownRequests: [], preferences, team: null, pages: {} }).blocks,
      ).filter((id) => id !== 'set_preference');
    expect(cardButtons(own)).toEqual(['home_ask', 'home_block']);
    expect(cardButtons({ ...own, status: 'BLOCKED' })).toEqual([]);
    const { blocks } = home({ at, delegate, own: only(own), ownRequests: [], preferences, team: null, pages: {} });
    expect(JSON.stringify(blocks)).toContain('including yours, until an approver unblocks it.');
    expect(JSON.stringify(blocks)).toContain('Ask for more for your card 1212');
    expect(read({ own: only(own), team })).not.toMatch(/`\/card (activate|block|ask)/);
  });

  it.each([
    ['BLOCKED', false, /\*Card 1212: blocked\*\nEvery purchase is declined until an approver unblocks it\./],
    ['INACTIVE', false, /not activated\*\nIt does not work until it is activated: tell an operator when you have it\./],
    ['INACTIVE', true, /not activated\*\nBalance/],
    ['Closed', false, /closed\*\nIt can never be used again\. If you have no newer card, ask for one\./],
  ])("says what helps about one's own card that is %s (virtual: %s)", (status, isVirtual, words) => {
    expect(read({ own: only({ ...own, status, card: { ...own.card, isVirtual } }) }).replace(', virtual', '')).toMatch(
      words,
    );
    expect(read({ own: only(own) })).not.toMatch(/declined until|does not work|never be used/);
    const old = { ...own, status, isStatusRead: false };
    expect(read({ own: only(old) }), 'no advice about what may have changed').not.toMatch(
      /declined until|does not work|never be/,
    );
  });

  it('shows each entry of each list on exactly one of its pages', () => {
    const named = (index: number) => ({ ...card, holder: `Holder${String(index).padStart(3, '0')}.` });
    const all = Array.from({ length: 23 }, (_, index) => named(index));
    const asked = all.map((one) => ({ ...request, card: one }));
    const facts = {
      requests: { team: { ...team, requests: asked } },
      'own-requests': { ownRequests: asked },
      claims: { team: { ...team, claims: all.map((one) => ({ ...claim, card: one })) } },
      changes: { team: { ...team, temporaryChanges: all.map((one) => ({ ...raise, card: one })) } },
      mutes: { team: { ...team, mutes: all.map((one) => ({ ...mute, card: one })) } },
      declines: { team: { ...team, declines: all.map((one) => ({ ...decline, card: one })) } },
      inactive: { team: { ...team, inactive: all.map((one) => ({ card: one, value: 'sealed' })) } },
    } satisfies Record<string, Partial<Home>>;
    for (const [list, over] of Object.entries(facts)) {
      const seen: string[] = [];
      let pages: HomePages | null = {};
      while (pages !== null) {
        const drawn: Partial<Home> = { ...over, pages };
        const { blocks } = home({ at, own: none, ownRequests: [], preferences, delegate, team: null, pages, ...drawn });
        seen.push(...new Set(shown(blocks).match(/Holder\d+/g)));
        const next = buttons(blocks).find(({ action_id }) => action_id === 'next_page')?.value;
        const turn = next === undefined ? null : turnOf(next);
        pages = turn === null ? null : { [turn.list]: turn.page };
      }
      expect(seen, list).toEqual(all.map(({ holder }) => holder.replace('.', '')));
    }
    expect(read({ ...facts.mutes, pages: { mutes: 3 } })).toContain('Mutes (21 to 23 of 23)');
    expect(read({ ...facts.mutes, pages: { mutes: 9 } }), 'a page that no longer exists').toContain('(21 to 23 of 23)');
  });

  it('shows people their requests, and shows deciders the purchase and why two approvals are needed', () => {
    expect(read({ ownRequests: [request] })).toMatch(
      /You ask to raise .*daily limit.*: \$400\.00 → \$450\.00 \(\+\$50\.00\) · 1 of 2 approvals/,
    );
    expect(read({ ownRequests: [request] })).toContain('2 approvals:');
    expect(read({ team })).toContain('so that $84.10 at Corner Diner goes through');
    const asked = home({
      at,
      own: none,
      preferences,
      delegate,
      team: null,
      pages: {},
      ownRequests: [request, { ...request, id: 'req_2' }],
    });
    expect(buttons(asked.blocks).map(({ action_id, value }) => [action_id, value])).toEqual([
      ['withdraw_request', request.id],
      ['withdraw_request', 'req_2'],
    ]);
    expect(read({ team })).toContain('2 approvals:');
  });

  it('fits any content: longer lists have pages, and Slack accepts the view', () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('', '<!channel>', 'x'.repeat(5000)),
    );
    const many = <T>(one: T) => fc.integer({ min: 0, max: 150 }).map((count) => Array<T>(count).fill(one));
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 0, max: 150 }),
        many(limit),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (text, count, limits, page, isOfMany) => {
          const named = { ...card, holder: text, last4: text, group: text, ruleset };
          const told = {
            ...decline,
            merchant: { ...decline.merchant, name: text },
            decline: { code: text, message: text },
            occurredAt: text,
          };
          const opsIssue = { id: text, what: text, cause: text };
          const fill = <T>(one: T): T[] => Array<T>(count).fill(one);
          const named100 = Array<string>(100).fill(text);
          const blockAll = ask('block-all', { acctIds: named100.map((_, index) => index + 1), names: named100 });
          const ofMany = {
            ...request,
            action: blockAll,
            changes: [],
            goals: [],
            card: noCard,
            facts: { ...noFacts, warning },
          };
          const view = home({
            at,
            isUnsure: true,
            delegate: { current: { to: text, from: text, until: text }, allowed: fill(text) },
            preferences: {
              off: [text],
              digest: 'weekly',
              quiet: text,
              delegates: fill({ to: text, from: text, until: text }),
            },
            ownRequests: fill({ ...request, card: named, action: askedBy(text) }),
            own: listPage(fill({ ...own, card: named, limits, declines: fill(told) }), page, CARDS_SHOWN.ofTeam),
            pages: {
              'own-requests': page,
              requests: page,
              claims: page,
              changes: page,
              mutes: page,
              declines: page,
              inactive: page,
            },
            team: {
              isApprover: true,
              requests: isOfMany ? fill(ofMany) : fill({ ...request, card: named, action: askedBy(text) }),
              temporaryChanges: fill({ ...raise, card: named, by: text }),
              mutes: fill({ ...mute, card: named, reason: text }),
              claims: fill({ ...claim, claim: claimOf(text), card: named }),
              declines: fill({ ...told, card: named }),
              inactive: fill({ card: named, value: 'sealed' }),
              health: { ...health, waiting: count, lagMs: 60_000, failed: count, stuck: fill(opsIssue) },
            },
          });

          const blocks = [...homeProgramMenu('', programs), ...view.blocks];

          expect(checkBlocks(blocks, 'home')).toEqual([]);
          expect(blocks.length).toBeLessThanOrEqual(VIEW_BLOCKS_MAX);
          if (count > 10) expect(buttonIds(view.blocks)).toContain(page === 1 ? 'next_page' : 'previous_page');
        },
      ),
      // All lists full, with pages on both sides.
      { numRuns: 60, examples: [['x', 150, [limit], 2, true]] },
    );
  });
});
