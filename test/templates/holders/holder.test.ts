import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { StatusChange, TransactionAlert } from '../../../src/alerts/alert.ts';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { holderWelcome } from '../../../templates/holders/link-result.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import {
  card,
  change,
  declined,
  outcome,
  raise,
  shippingAlert,
  statusAlert,
  transactionAlert,
  virtualAlert,
} from '../fixtures.ts';
import { buttonIds, shown } from '../shown.ts';

const view = { place: 'direct', isLong: true } as const;
const render = (alert: Parameters<typeof renderHolderAlert>[0]) => {
  const message = renderHolderAlert(alert, view);
  if (message === null) throw new Error('the holder gets no message');
  return { text: message.text, read: shown(message.blocks), buttons: buttonIds(message.blocks) };
};

describe('a decline, for the holder', () => {
  it.each([
    ['decline.card.pin', 'Incorrect PIN', /Wrong PIN/, /Try again with the right PIN/],
    ['decline.rule.location', '', /abroad not allowed/, /ask for purchases abroad/],
    ['decline.balance.business', '', /Business balance too low/, /Pay another way/],
    ['decline.card.status', 'Card is pending activation', /not activated yet/, /ask an operator to activate/],
    ['decline', 'Do not honor', /without a reason/, /Try once more/],
    ['decline.of.tomorrow', 'Brand new', /Declined by the card service/, /Try once more/],
  ])('%s says why and what to do now', (code, words, why, todo) => {
    const { text, read } = render(declined(code, words));

    expect(text).toMatch(/^Your card 1212 was declined for \$84\.10 at Blue Bottle Coffee: /);
    expect(read).toMatch(why);
    expect(read).toMatch(todo);
    expect(read).not.toMatch(/\*Admin|Cardholder/);
  });

  it.each([true, false])('shows the amount requested by the merchant if it differs (long: %s)', (isLong) => {
    const alert = transactionAlert({ amountCents: 4000, requestedCents: 10_000 });
    const message = renderHolderAlert(alert, { ...view, isLong });

    expect(shown(message?.blocks ?? [])).toMatch(/requested by the merchant\W*\$100\.00|merchant asked for \$100\.00/i);
  });

  it('does not suggest asking about the block to a holder who blocked the card', () => {
    const outcomes = [outcome({ by: 'U9', asHolder: true })];
    const { read } = render(declined('decline.rule.velocity', '', { outcomes, remedy: raise }));

    expect(read).toContain('An approver can unblock your card.');
    expect(read).not.toContain('why the card is blocked');
  });

  it('sends a holder to the person who blocked the card, who knows why', () => {
    const { read } = render(
      declined('decline.rule.velocity', '', { outcomes: [outcome({ by: 'U1' })], remedy: raise }),
    );

    expect(read).toContain('Ask <@U1> why the card is blocked.');
  });

  it('tells a holder who reported fraud to expect a new card, not that this one is unblocked', () => {
    const outcomes = [
      outcome({ verb: 'report-fraud', by: 'U9', asHolder: true }),
      outcome({ by: 'U9', asHolder: true }),
    ];
    const { read } = render(declined('decline.rule.velocity', '', { outcomes, remedy: raise }));

    expect(read).toContain('It declines everything. You’ll need a new card.');
    expect(read).not.toContain('unblock');
  });

  it.each<[string, Outcome[], RegExp]>([
    [
      'was not confirmed',
      [outcome({ by: 'U9', asHolder: true, confirmation: 'unconfirmed' })],
      /\*The block may or may not have worked\* at .* has not confirmed it\. Ask an operator to block it now\./,
    ],
    [
      'is not confirmed yet',
      [outcome({ by: 'U1', confirmation: 'sent' })],
      /blocked by <@U1>.*has not confirmed it yet/,
    ],
    [
      'was overtaken',
      [outcome({ by: 'U1', confirmation: 'superseded' })],
      /\*Your card was blocked by <@U1>\* at [^.]*\.$/m,
    ],
    [
      'was undone',
      [outcome({ by: 'U1', confirmation: 'confirmed' }), outcome({ verb: 'unblock', by: 'U1' })],
      /\*Your card was blocked by <@U1>\* at [^.]*\.$/m,
    ],
  ])('does not say that a block declines everything if it %s', (_how, outcomes, words) => {
    const { read } = render(declined('decline.rule.velocity', '', { outcomes }));

    expect(read).toMatch(words);
    expect(read).not.toContain('declines everything');
  });

  it('says in its notification that a block was not confirmed', () => {
    const outcomes = [outcome({ by: 'U9', asHolder: true, confirmation: 'unconfirmed' })];

    expect(render(declined('decline', '', { outcomes })).text).toMatch(/The block may or may not have worked\.$/);
  });

  it('names the limit and what was left of it', () => {
    const { read } = render(
      declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise }),
    );

    expect(read).toContain('$400.00');
    expect(read).toContain('$35.10');
  });

  it.each([
    ['nothing yet', [], ['request_increase', 'recognize_purchase', 'block_card']],
    ['asked for more', [outcome({ verb: 'limit', by: 'U9', state: 'waiting' })], ['recognize_purchase', 'block_card']],
    ['it was me', [outcome({ verb: 'recognize', by: 'U9', asHolder: true })], ['request_increase', 'block_card']],
    ['blocked by me', [outcome({ by: 'U9', asHolder: true })], []],
    ['blocked by someone else', [outcome({ by: 'U1' })], []],
    [
      'block failed',
      [outcome({ by: 'U9', state: 'failed' })],
      ['request_increase', 'recognize_purchase', 'block_card'],
    ],
  ])('%s: shows only the answers that are still possible', (_name, outcomes, expected) => {
    expect(render(declined('decline.rule.velocity', '', { outcomes })).buttons).toEqual(expected);
  });

  it.each<[string, TransactionAlert, string, string]>([
    [
      'a limit with what is left',
      declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise }),
      'Ask for a higher limit',
      'Wait for the approvers, or pay $35.10 or less.',
    ],
    [
      'a limit of which nothing is known',
      declined('decline.rule.velocity', 'Transaction exceeded daily spend limit'),
      'Ask for a higher limit',
      'Wait for the approvers, or pay another way.',
    ],
    [
      'a rule',
      declined('decline.rule.location', ''),
      'ask for purchases abroad',
      'Wait for the approvers, or pay another way.',
    ],
  ])('does not advise to ask the approvers while they are asked: %s', (_cause, alert, ask, wait) => {
    const asked = (state: 'waiting' | 'failed') =>
      render({ ...alert, outcomes: [outcome({ verb: 'limit', by: 'U9', asHolder: true, state })] });

    for (const text of [asked('waiting').read, asked('waiting').text]) {
      expect(text).toContain(wait);
      expect(text).not.toMatch(/ask (for|whether)/i);
    }
    expect(asked('failed').read).toContain(ask);
    expect(asked('failed').read).not.toContain('Wait for the approvers');
  });

  it.each([true, false])('names the reader as “you”, also if they acted as an operator (long: %s)', (isLong) => {
    const outcomes = [outcome({ by: 'U9' })];
    const own = renderHolderAlert(declined('decline.rule.velocity', '', { outcomes }), {
      ...view,
      isLong,
      reader: 'U9',
    });

    expect(own?.text).toContain('You blocked your card');
    expect(shown(own?.blocks ?? [])).toContain('You blocked your card');
    expect(JSON.stringify(own), 'nobody asks themselves why').not.toContain('<@U9>');
  });

  it.each([
    [outcome({ by: 'U9', asHolder: true }), /You blocked your card/],
    [outcome({ by: 'U1' }), /Your card was blocked by <@U1>/],
    [outcome({ verb: 'unblock', by: 'U1' }), /was unblocked by <@U1>\* at [^.]*\.$/m],
    [outcome({ verb: 'limit', by: 'U1', confirmation: 'confirmed' }), /You can try again now/],
    [
      outcome({ verb: 'limit', by: 'U1', confirmation: 'sent' }),
      /^(?![\s\S]*try again now)[\s\S]*has not confirmed it yet/,
    ],
    [
      outcome({ verb: 'limit', by: 'U1', confirmation: 'unconfirmed' }),
      /^(?![\s\S]*try again now)[\s\S]*may not work yet/,
    ],
    [
      outcome({ verb: 'limit', by: 'U9', asHolder: true, state: 'failed', closed: { how: 'expired', by: null } }),
      /\*Your request expired\* at .*\. Nothing changed\.(?!.*did not work)/,
    ],
    [
      outcome({ verb: 'limit', by: 'U9', asHolder: true, state: 'failed', closed: { how: 'denied', by: 'U2' } }),
      /\*Your request was denied by <@U2>\* at .*\. Nothing changed\./,
    ],
    [outcome({ verb: 'limit', by: 'U9', state: 'failed', text: 'It expired' }), /did not work\* at .* It expired\./],
    [outcome({ verb: 'recognize', by: 'U9' }), /You confirmed making this purchase/],
    [
      outcome({ by: 'U9', state: 'failed', text: 'The card service says: “no”' }),
      /did not work.*says: “no”.*block it now/,
    ],
  ])('shows the outcome', (one, words) => {
    expect(render(declined('decline', '', { outcomes: [one] })).read).toMatch(words);
  });
});

it('a purchase that its holder confirms after all is seen in the fraud report, which may be closed by then', () => {
  const recognized = outcome({ verb: 'recognize', by: 'U9', asHolder: true });
  const reported = outcome({ verb: 'report-fraud', by: 'U9', asHolder: true });
  const failed = outcome({ by: 'U9', asHolder: true, state: 'failed', text: 'No answer' });
  const read = (outcomes: Outcome[]) => render(declined('decline.rule.velocity', '', { outcomes })).read;

  expect(read([recognized])).toContain('Thank you. Nothing else changed.');
  expect(read([reported, failed, recognized])).toContain('Thank you. The operators see that in your fraud report.');
});

describe('a purchase that its holder reported as fraud, whose block did not work', () => {
  const reported = outcome({ verb: 'report-fraud', by: 'U9', asHolder: true });
  const failed = outcome({ by: 'U9', asHolder: true, state: 'failed', text: 'No answer' });
  const recognized = outcome({ verb: 'recognize', by: 'U9', asHolder: true });
  const blocked = outcome({ by: 'U9', asHolder: true });
  const of = (...outcomes: Outcome[]) => render(declined('decline.rule.velocity', '', { outcomes }));

  it.each<[string, Outcome]>([
    ['was refused', failed],
    ['got no clear answer', { ...failed, state: 'unknown' }],
    ['was not confirmed', { ...failed, state: 'done', confirmation: 'unconfirmed' }],
  ])('offers the block again if it %s, and says so', (_how, block) => {
    const { read, buttons } = of(reported, block);

    expect(buttons).toEqual(['recognize_purchase', 'block_card']);
    expect(read).toContain('Block my card');
    expect(read).toContain('Press *Block my card*, or ask an operator to block it now.');
  });

  it('offers it only once the first block has ended', () => {
    expect(of(reported).buttons).toEqual(['recognize_purchase']);
    expect(of(reported, { ...failed, state: 'waiting' }).buttons).toEqual([]);
  });

  it.each([
    ['the card is blocked', blocked],
    ['its holder confirmed the purchase after all', recognized],
  ])('asks for no block any more when %s', (_what, later) => {
    expect(of(reported, failed, later).read).toMatch(/The block did not work\* at .*No answer\.$/m);
  });

  it('names no button that is not there', () => {
    expect(of(failed).read).toContain('No answer. Ask an operator to block it now.');
  });
});

describe('a decline of a card that is closed, for the holder', () => {
  const closed = declined('decline.card.status', 'Card Status Closed');

  it('offers no block: it would find another card, or none', () => {
    for (const alert of [closed, declined('decline.rule.velocity', '', { card: { ...card, status: 'CLOSED' } })])
      expect(render(alert).buttons).toEqual(['recognize_purchase']);
    expect(render({ ...closed, outcomes: [outcome({ verb: 'recognize', by: 'U9' })] }).buttons).toEqual([]);
  });

  it('asks nobody to block it if a block has failed', () => {
    const failed = outcome({ by: 'U9', state: 'failed', text: 'The card is closed' });

    expect(render({ ...closed, outcomes: [failed] }).read).toMatch(/did not work.*The card is closed\.$/m);
  });
});

describe('a raise for the purchase that was declined, for the holder', () => {
  const daily = { kind: 'limit', period: 'daily', category: null } as const;
  const change = { verb: 'limit', by: 'U2', at: '2026-11-20T14:20:00Z', confirmation: 'confirmed' } as const;
  const control = { kind: 'revert', id: 'tmp_1', until: '2026-11-20T14:35:00Z' } as const;
  const raised = outcome({ ...change, goals: [{ rule: daily, to: 49_900 }], control });
  const read = (...outcomes: Outcome[]): string =>
    render(declined('decline.rule.velocity', '', { remedy: raise, outcomes })).read;

  it('names the new limit and its end', () => {
    expect(read(raised)).toMatch(
      /given a new limit by <@U2>\* at .*: daily limit \$499\.00, until .*9:35 AM.*\. You can try again now\./,
    );
  });

  it.each<[string, Outcome[]]>([
    ['has ended', [raised, outcome({ verb: 'restore', by: null, ends: 'tmp_1' })]],
    ['was followed by a block', [raised, outcome({})]],
    ['was followed by another one that waits for the card service', [raised, { ...raised, confirmation: 'sent' }]],
    ['is too low for it', [{ ...raised, goals: [{ rule: daily, to: 41_000 }] }]],
    ['was made while the card is blocked', [{ ...raised, isBlocked: true }]],
  ])('does not say to try again if it %s', (_what, outcomes) => {
    expect(read(...outcomes)).toContain('daily limit $');
    expect(read(...outcomes)).not.toContain('try again now');
  });

  it('can be followed by another request if it is too low', () => {
    const alert = (to: number) =>
      declined('decline.rule.velocity', '', { remedy: raise, outcomes: [{ ...raised, goals: [{ rule: daily, to }] }] });

    expect(render(alert(41_000)).buttons).toContain('request_increase');
    expect(render(alert(49_900)).buttons).not.toContain('request_increase');
  });

  it.each([true, false])(
    'does not say to try again if the balance did not cover this purchase either (long: %s)',
    (isLong) => {
      const text = `${raised.text} The card’s balance did not cover this purchase either.`;
      const outcomes = [{ ...raised, text, alsoNeeds: ['balance' as const] }];
      const alert = declined('decline.rule.velocity', '', { remedy: raise, outcomes });
      const message = shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? []);

      expect(message).toMatch(/did not cover this purchase either\.\s.*Ask for money to be added to the card\./);
      expect(message).not.toMatch(/try again/i);
    },
  );

  it('says that the card’s ruleset may overrule it', () => {
    const ruleset = { id: 7, name: 'Travel', mayOverrule: true };
    const alert = declined('decline.rule.velocity', '', { remedy: raise, outcomes: [raised] });

    expect(render({ ...alert, card: { ...alert.card, ruleset } }).read).toMatch(
      /You can try again now\. Your card follows the spending ruleset “Travel”, which may overrule this\./,
    );
  });
});

describe('a card that works again, for the holder of a declined purchase', () => {
  const [blocked, unblocked] = [outcome({}), outcome({ verb: 'unblock', by: 'U2' })];
  const raised = outcome({ verb: 'limit', by: 'U2', goals: [limitGoal('daily', 49_900)] });

  it.each([
    ['a limit', declined('decline.rule.velocity', '', { remedy: raise }), unblocked],
    ['the balance', declined('decline.balance.card', ''), unblocked],
    ['a merchant category that no setting allows', declined('decline.mcc', ''), unblocked],
    ['a rule', declined('decline.rule.location', ''), outcome({ verb: 'activate' })],
    [
      'something that only the portal changes',
      declined('decline', '', { remedy: { kind: 'portal', why: 'balance' } }),
      unblocked,
    ],
  ])('is not told to try again if %s stopped it', (_what, alert, done) => {
    const { read } = render({ ...alert, outcomes: [blocked, done] });

    expect(read).toMatch(/Your card was (?:unblocked|activated) by <@U[12]>\* at [^.]*\.$/m);
    expect(read).not.toMatch(/try again/i);
  });

  it.each([
    ['the block', declined('decline', '', { remedy: { kind: 'unblock' } }), [unblocked]],
    ['its status', declined('decline.card.status', 'Card Status Blocked'), [unblocked]],
    ['a status that may have been a block', declined('decline.card.status', 'Card Status Inactive'), [unblocked]],
    ['nothing any more', declined('decline.rule.velocity', '', { remedy: { kind: 'retry' } }), [blocked, unblocked]],
    [
      'a limit that is high enough by now',
      declined('decline.rule.velocity', '', { remedy: raise }),
      [raised, blocked, unblocked],
    ],
  ])('is told to try again if %s stopped it', (_what, alert, outcomes) => {
    expect(render({ ...alert, outcomes }).read).toMatch(/Your card was unblocked .*You can try again now\.$/m);
  });
});

describe('a purchase that was paid later, for the holder', () => {
  const outcomes = [
    outcome({ verb: 'limit', by: 'U2', at: '2026-11-20T14:18:00Z', confirmation: 'confirmed' }),
    outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' }),
    outcome({
      verb: 'restore',
      by: null,
      at: '2026-11-20T14:21:00Z',
      text: 'Daily limit $450.00 → $400.00',
      goals: [limitGoal('daily', 40_000)],
    }),
  ];

  it.each([true, false])('is one line without further advice (long: %s)', (isLong) => {
    const alert = declined('decline.rule.velocity', '', { remedy: raise, outcomes });
    const read = shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? []);

    expect(read).toMatch(
      /\*Your purchase went through\.\* Approved by <@U2>, paid at .*, limit back to \$400\.00\. 7 minutes after the decline\./,
    );
    expect(read).not.toMatch(/try again now|Ask for a higher limit|new limit|change of your card’s rules ended/);
  });

  it('did not go through for a holder who reported it as fraud, and is not to be tried again', () => {
    const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' });
    const reported = outcome({ verb: 'report-fraud', by: 'U2', asHolder: true, at: '2026-11-20T14:30:00Z' });
    const { text, read } = render(declined('decline.rule.velocity', '', { outcomes: [paid, reported] }));

    expect(text).toMatch(/ You reported this purchase as fraud\.$/);
    expect(read).toMatch(/\*Paid\* at [^*]*\.\n\*You reported this purchase as fraud\*/);
    expect(read).not.toMatch(/went through|try again/);
  });

  it('is still paid if only a second payment of it was reversed', () => {
    const back = outcome({ verb: 'paid', by: null, state: 'failed', at: '2026-11-20T14:40:00Z' });
    const { text, read } = render(declined('decline.rule.velocity', '', { outcomes: [...outcomes, back] }));

    expect(text).toMatch(/ Paid\.$/);
    expect(read).toContain('*Your purchase went through.*');
  });
});

it.each([
  ['', /\*Your purchase went through\.\* Paid at/],
  ['$40.00 of $84.10', /\*A part of your purchase was paid\.\* Paid \$40\.00 of \$84\.10 at/, true],
  ['$99.00', /\*Your purchase probably went through\.\* Paid \$99\.00 at/],
] as const)(
  'says what was paid, and whether it is certain, if it is not what was declined: %s',
  (text, words, isPart?: true) => {
    const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z', text, isPart });
    const alert = declined('decline.rule.velocity', '', { outcomes: [paid] });

    expect(shown(renderHolderAlert(alert, { place: 'direct', isLong: true })?.blocks ?? [])).toMatch(words);
  },
);

it.each<[string, string, RuleGoal[]?]>([
  ['Daily limit $450.00 → $400.00', 'Your daily limit is back to $400.00', [limitGoal('daily', 40_000)]],
  [
    'Daily limit $450.00 → $400.00 when the other temporary change ends',
    'The temporary change of your card’s rules ended',
  ],
  [
    'Daily limit $450.00 → $400.00; weekly limit $1 → $2',
    'The temporary change of your card’s rules ended',
    [limitGoal('daily', 40_000), limitGoal('weekly', 200)],
  ],
  [
    'Online purchases allowed → not allowed',
    'The temporary change of your card’s rules ended',
    [{ rule: { kind: 'card_not_present' }, to: false }],
  ],
])('the end of a temporary change is shown with the amount of its limit: %s', (text, words, goals) => {
  const ended = outcome({ verb: 'restore', by: null, text, goals });

  const { read } = render(declined('decline', '', { outcomes: [ended] }));
  expect(read).toContain(`*${words}* at`);
  // No other value than the one that follows, and no time of an end that has not come.
  if (!words.includes('$')) expect(read).toContain(`. ${text}.`);
});

it.each<[Partial<Outcome>, RegExp]>([
  [
    { verb: 'keep', by: 'U2', text: 'Daily limit $500.00.' },
    /\*Left as it is by <@U2>\* at .*\. Daily limit \$500\.00\.$/m,
  ],
  [{ verb: 'keep', by: null, text: 'The account is closed.' }, /\*Left as it is\* at .*\. The account is closed\.$/m],
  [
    { verb: 'restore', by: null, state: 'failed', text: 'Still daily limit $450.00.' },
    /\*Not put back\* at .*\. Still daily limit \$450\.00\.$/m,
  ],
])('the end of a temporary change that was not put back is told as it was: %o', (over, words) => {
  expect(render(declined('decline', '', { outcomes: [outcome(over)] })).read).toMatch(words);
});

it('the reset time appears only once', () => {
  const { blocks } = renderHolderAlert(declined('decline.rule.velocity', '', { remedy: raise }), {
    place: 'direct',
  }) ?? {
    blocks: [],
  };

  expect(shown(blocks)).toContain('Resets');
  expect(shown(blocks)).toContain('Ask for a higher limit, or pay $35.10 or less.');
});

it.each([true, false])('a decline of a card that was unblocked since says that it works again (long: %s)', (isLong) => {
  const alert = declined('decline.card.status', 'Card Status Inactive', {
    remedy: { kind: 'unblock' },
    outcomes: [outcome({ verb: 'unblock' })],
  });
  const message = renderHolderAlert(alert, { ...view, isLong });

  expect(message?.text).toContain(': card was blocked. ');
  expect(shown(message?.blocks ?? [])).toMatch(/\*Card was blocked\.?\*\s+It works again\./);
  expect(JSON.stringify(message)).not.toMatch(/is blocked|Every purchase is declined/);
});

describe('a new card, for the holder', () => {
  it('in transit: tracking, and that it must be activated', () => {
    const { read, buttons } = render(shippingAlert());

    expect(read).toMatch(/on its way/);
    expect(read).toMatch(/9400111201080805483016/);
    expect(read).toMatch(/does not work until it is activated/);
    expect(buttons).toEqual(['track_shipment']);
  });

  it.each([
    ['ACTIVE', /can be used/, ['block_card']],
    ['BLOCKED', /is blocked/, []],
    ['CLOSED', /never be used again/, []],
    ['INACTIVE', /new card/, []],
  ] as const)('%s says what that means', (status, words, expected) => {
    const steps: StatusChange['steps'] = [{ status, at: '2026-11-20T14:14:05Z' }];
    const { text, buttons } = render(statusAlert([change({ from: null, steps })]));

    expect(text).toMatch(words);
    expect(buttons).toEqual(expected);
  });

  it.each([
    [
      'by somebody here',
      'U1',
      'Changed by <@U1>. Every purchase is declined until an approver unblocks it. Ask <@U1> why.',
    ],
    ['elsewhere', null, 'Every purchase is declined until an approver unblocks it. Ask an approver why.'],
  ])('blocked %s says who knows why', (_where, causedBy, expected) => {
    expect(render(statusAlert([change({ causedBy })])).text).toBe(`Your card 1212 is blocked. ${expected}`);
  });

  it('closed, perhaps because a newer one replaces it: to ask for one only without a newer one', () => {
    const steps: StatusChange['steps'] = [{ status: 'CLOSED', at: '2026-11-20T14:14:05Z' }];

    expect(render(statusAlert([change({ steps, causedBy: 'U1' })])).text).toBe(
      'Your card 1212 is closed for good. Changed by <@U1>. It can never be used again. If you have no newer card, ask for one.',
    );
  });

  const inactive: StatusChange['steps'] = [{ status: 'INACTIVE', at: '2026-11-20T14:14:05Z' }];

  it('is not what a card is called that was deactivated', () => {
    expect(render(statusAlert([change({ from: 'ACTIVE', steps: inactive })])).text).toBe(
      'Your card 1212 is not active. It does not work until an operator activates it again.',
    );
  });

  it('that is virtual asks nothing of its holder: its order activates it', () => {
    const virtual = { card: { ...card, isVirtual: true } };
    const { text } = render(statusAlert([change({ from: null, steps: inactive })], virtual));

    expect(text).toBe('Your new card 1212. Its order activates it: you don’t have to do anything.');
  });

  it.each(['created', 'partial', 'resend', 'not_created'])('virtual, %s: never its number', (result) => {
    const { text } = render(virtualAlert({ outcome: result }));

    expect(text).not.toMatch(/\d{5}/);
    expect(text.includes('For its number, ask whoever manages your cards.')).toBe(result !== 'not_created');
  });
});

it('the first message to a holder promises nothing that they may have switched off', () => {
  const read = shown(holderWelcome({ card, by: 'U0ANA' }).blocks);

  expect(read).toContain('blocked or works again. The Home tab shows which of these are on');
});

it('normal money movements are not reported to the holder', () => {
  expect(renderHolderAlert(transactionAlert({ kind: 'settlement', decline: null }), view)).toBeNull();
});
