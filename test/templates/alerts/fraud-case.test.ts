import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import { FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { clumsyIn } from '../clumsy.ts';
import { outcome, transactionAlert } from '../fixtures.ts';
import { buttonIds, shown } from '../shown.ts';

const at = '2026-11-20T14:14:00Z';
const { event, card } = transactionAlert();
const purchase = { at, amountCents: 1250, merchant: 'Corner Diner' };

function fraudCase(over: object = {}): FraudCaseAlert {
  return FraudCaseAlert.parse({
    kind: 'fraud-case',
    event: { ...event, id: 'evt_0000000000000001' },
    card,
    outcomes: [],
    late: false,
    alertId: event.id,
    reported: { by: 'U1', at },
    operators: ['U2', 'S3'],
    purchases: [purchase],
    ...over,
  });
}

const view = { place: 'private', channel: 'C1' } as const;

it('a closed fraud case does not say that more follows in its thread', () => {
  const closed = fraudCase({ outcomes: [outcome({ verb: 'close-case' })] });

  for (const isLong of [false, true]) {
    const read = shown(renderAlert(closed, { ...view, isLong }).blocks);
    expect(read).toContain('Nothing more about this card follows in this thread');
    expect(read).not.toContain('Everything else about this card');
  }
});

it('an open fraud case says how long its thread collects what happens to the card', () => {
  for (const isLong of [false, true]) {
    const read = shown(renderAlert(fraudCase(), { ...view, isLong }).blocks);
    expect(read).toContain(
      'Everything else about this card follows in this thread, until 30 days after the last report',
    );
  }
});

describe('a fraud case', () => {
  it('has three lines: the report; the reporter, the latest purchases and the person in charge; the small print', () => {
    const { text, blocks } = renderAlert(fraudCase(), view);
    const lines = shown(blocks.filter(({ type }) => type !== 'actions')).split('\n');

    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\*Fraud reported: \$84\.10 at Blue Bottle Coffee\* · Jane Doe · card 1212 · /);
    expect(lines[1]).toMatch(
      /^<@U1> says they did not make it\. Latest purchases: \$12\.50 at Corner Diner<!date.*, Nov .*<@U2>, <!subteam\^S3>: check/,
    );
    expect(buttonIds(blocks)).toEqual(['block_card', 'close_fraud_case', 'show_details']);
    expect(text).toMatch(
      /^Fraud reported: \$84\.10 at Blue Bottle Coffee · Jane Doe · card 1212\. The cardholder <@U1> says they did not make it\. Latest/,
    );
  });

  it('for a further purchase names it and the open case, mentions the person in charge, and closes with that case', () => {
    const { text, blocks } = renderAlert(fraudCase({ joins: 'evt_0000000000000009' }), view);

    expect(text).toMatch(
      /^Another purchase reported as fraud: \$84\.10 at Blue Bottle Coffee · .*<@U2>, <!subteam\^S3>: check this purchase/,
    );
    expect(shown(blocks)).toContain('Belongs to the fraud case in this thread');
    expect(buttonIds(blocks)).toEqual(['block_card', 'show_details']);
  });

  it('distinguishes unreadable latest purchases from none', () => {
    expect(renderAlert(fraudCase({ purchases: null }), view).text).toContain(
      'The latest purchases could not be read. <@U2>, <!subteam^S3>: look up the latest purchases in the card program’s portal and check them with the cardholder, then order a replacement card',
    );
    expect(renderAlert(fraudCase({ purchases: [] }), view).text).toContain(
      'No other purchases within 7 days. <@U2>, <!subteam^S3>: order a replacement card',
    );
  });

  const many = { purchases: Array.from({ length: 5 }, () => purchase), morePurchases: 7, unreadable: 2 };

  it('counts all purchases, and says where those are that it does not list, and what could not be read', () => {
    expect(renderAlert(fraudCase(many), view).text).toMatch(
      / and 9 more, in the card program’s portal\. 2 transactions could not be read: look them up there, too\. <@U2>.*: check these/,
    );
    const long = shown(renderAlert(fraudCase(many), { ...view, isLong: true }).blocks);
    expect(long.match(/^• /gm)).toHaveLength(5);
    expect(long).toMatch(/\n… and 7 more, in the card program’s portal\.\n2 transactions could not be read: .*\n<@U2>/);
    expect(renderAlert(fraudCase({ unreadable: 1 }), view).text).toContain(
      '1 transaction could not be read: look it up in the card program’s portal.',
    );
  });

  it('says nothing of the portal while *Details* lists all purchases', () => {
    const { text } = renderAlert(fraudCase({ ...many, morePurchases: 0, unreadable: 0 }), view);

    expect(text).toMatch(/ and 2 more\. <@U2>/);
  });

  it.each([
    ['once it is closed', { outcomes: [outcome({ verb: 'close-case', by: 'U2' })] }],
    [
      'once the cardholder has confirmed the purchase',
      { outcomes: [outcome({ verb: 'recognize', by: 'U1', asHolder: true })] },
    ],
    ['for a further purchase, because the open case asks for it', { joins: 'evt_0000000000000009' }],
  ])('asks nobody to look purchases up %s', (_when, over) => {
    for (const isLong of [false, true]) {
      const { text, blocks } = renderAlert(fraudCase({ ...many, ...over }), { ...view, isLong });
      for (const read of [text, shown(blocks)]) {
        expect(read).toMatch(/2 transactions could not be read\./);
        expect(read).not.toMatch(/look them up|check these/);
        expect(clumsyIn(read)).toBeNull();
      }
    }
  });

  it('lists the purchases above what to do with them', () => {
    expect(shown(renderAlert(fraudCase(), { ...view, isLong: true }).blocks)).toMatch(
      /\*Latest purchases\*\n• .*\n<@U2>, <!subteam\^S3>: check these purchases with the cardholder/,
    );
  });

  it.each([
    [null, '<@U2>, <!subteam^S3>: <@U1> has confirmed it since. If nothing else was reported, close the case.'],
    ['evt_0000000000000009', '<@U2>, <!subteam^S3>: <@U1> has confirmed it since.'],
  ])('needs no new card once the cardholder has confirmed the purchase after all (joins: %s)', (joins, todo) => {
    const outcomes = [outcome({ verb: 'recognize', by: 'U1', asHolder: true })];
    for (const isLong of [false, true]) {
      const read = shown(renderAlert(fraudCase({ joins, outcomes }), { ...view, isLong }).blocks);
      expect(read).toContain(todo);
      expect(read).not.toMatch(/replacement card|check th|close the case$/m);
    }
  });

  it.each([
    [null, [purchase], 'block the card now, check these purchases with the cardholder, then order a replacement card'],
    [null, [], 'block the card now, then order a replacement card'],
    ['evt_0000000000000009', [purchase], 'block the card now, then check this purchase with the cardholder, too.'],
  ])(
    'asks first for the block if that of the report did not work (joins: %s, purchases: %j)',
    (joins, purchases, todo) => {
      const failed = outcome({ by: 'U1', asHolder: true, state: 'failed' });
      const unconfirmed = outcome({ by: 'U1', asHolder: true, confirmation: 'unconfirmed' });
      const text = (...outcomes: Outcome[]) => renderAlert(fraudCase({ joins, purchases, outcomes }), view).text;

      for (const one of [failed, unconfirmed]) expect(text(one)).toContain(`<@U2>, <!subteam^S3>: ${todo}`);
      for (const outcomes of [[], [outcome({ by: 'U1' })], [failed, outcome({ by: 'U2' })]])
        expect(text(...outcomes)).not.toContain('block the card now');
    },
  );

  it('offers to block only until the card is blocked, and nothing once the case is closed', () => {
    const blocked = outcome({ verb: 'block', by: 'U1' });
    const closed = outcome({ verb: 'close-case', by: 'U2' });

    expect(buttonIds(renderAlert(fraudCase({ outcomes: [blocked] }), view).blocks)).toEqual([
      'close_fraud_case',
      'show_details',
    ]);
    const message = renderAlert(fraudCase({ outcomes: [blocked, closed] }), view);
    expect(clumsyIn(message.text)).toBeNull();
    expect(buttonIds(message.blocks)).toEqual(['show_details']);
    expect(shown(message.blocks)).toMatch(/Case closed\* by <@U2> at /);
    expect(shown(message.blocks)).not.toContain('order a replacement');
  });
});
