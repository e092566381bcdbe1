import { describe, expect, it } from 'vitest';
import { ActivationReminder } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { cardShipping } from '../../../templates/alerts/card-shipping.ts';
import { cardStatus } from '../../../templates/alerts/card-status.ts';
import { type CardTrack, cardTrack } from '../../../templates/alerts/card-track.ts';
import { virtualCard } from '../../../templates/alerts/virtual-card.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { batchRows, card, change, outcome, shippingAlert, statusAlert, virtualAlert } from '../fixtures.ts';
import { buttonIds, buttons, shown } from '../shown.ts';

const view = { place: 'private' } as const;
const at = '2026-11-20T14:14:05Z';

describe('a status change', () => {
  it.each([
    ['one step', change(), 'Card blocked: Jane Doe', '*Active → blocked*', 'Changed outside Slack', ''],
    [
      'by a click',
      change({ from: 'BLOCKED', steps: [{ status: 'ACTIVE', at }], causedBy: 'U1' }),
      'Card active: Jane Doe',
      '*Blocked → active*',
      'Changed by <@U1> in Cardbell',
      'block_card',
    ],
    [
      'two webhooks of one block',
      change({
        from: 'INACTIVE',
        steps: [
          { status: 'ACTIVE', at },
          { status: 'BLOCKED', at },
        ],
      }),
      'Card blocked: Jane Doe',
      '*Not activated → active → blocked*',
      'Changed outside Slack',
      '',
    ],
    [
      'a new card',
      change({ from: null, steps: [{ status: 'INACTIVE', at }] }),
      'New card: Jane Doe',
      '*New card, not activated yet*',
      '',
      'activate_card',
    ],
    [
      'an unknown previous status',
      change({ from: null, steps: [{ status: 'ACTIVE', at }] }),
      'Card active: Jane Doe',
      '*Now active (earlier status not known)*',
      'Changed outside Slack',
      'block_card',
    ],
    [
      'the same status again',
      change({ from: 'ACTIVE', steps: [{ status: 'ACTIVE', at }] }),
      'Card still active: Jane Doe',
      '*Reported again as active*',
      '',
      'block_card',
    ],
    [
      'a closed card',
      change({ steps: [{ status: 'CLOSED', at }] }),
      'Card closed for good: Jane Doe',
      '*Active → closed* Final: this card can never be used again.',
      'Changed outside Slack',
      '',
    ],
    [
      'an event older than the current status',
      change({ supersededBy: 'ACTIVE' }),
      'Card status, arrived late: Jane Doe',
      '*Active → blocked* Arrived late: the card is now active.',
      'Changed outside Slack',
      'block_card',
    ],
  ])('of %s', (_what, one, headline, way, cause, ids) => {
    const { blocks } = cardStatus(statusAlert([one]));
    const text = shown(blocks);

    expect(text.startsWith(`${headline}\n${way}\n`)).toBe(true);
    expect(/\*How\*\n(.*)/.exec(text)?.[1] ?? '').toBe(cause);
    expect(buttonIds(blocks).join(' ')).toBe(ids);
  });

  it.each([
    ['INACTIVE', 'not activated'],
    ['ACTIVE', 'active'],
    ['BLOCKED', 'blocked'],
    ['CLOSED', 'closed'],
  ] as const)('to %s is shown as %s in the message and in the fallback text', (status, word) => {
    const { text, blocks } = cardStatus(statusAlert([change({ from: null, steps: [{ status, at }] })]));

    expect(text).toMatch(new RegExp(`Jane Doe.*\\b${word}\\b`));
    expect(shown(blocks)).toMatch(new RegExp(`\\*[^*]*\\b${word}\\b[^*]*\\*`, 'i'));
    expect(`${text} ${shown(blocks)}`).not.toContain(status);
  });

  it('has a fallback text that is a sentence', () => {
    const closed = change({ steps: [{ status: 'CLOSED', at }], causedBy: 'U1' });

    expect(cardStatus(statusAlert([closed])).text).toBe(
      'Jane Doe · card 1212: active → closed. Final: this card can never be used again. Changed by <@U1> in Cardbell.',
    );
  });

  it('of many cards reads out ten, and how many more there are', () => {
    const closed = Array.from({ length: 12 }, (_, index) =>
      change({ cardId: index + 1, last4: `00${10 + index}`, steps: [{ status: 'CLOSED', at }] }),
    );
    const { text } = cardStatus(statusAlert(closed));

    expect(text).toContain(
      'Card 0019: active → closed, changed outside Slack. Final: this card can never be used again.',
    );
    expect(text).toMatch(/again\. And 2 more\.$/);
  });

  it('of several cards has a line for each, and no buttons', () => {
    const changes = [
      change({ causedBy: 'U1' }),
      change({ cardId: 9, last4: '9999', steps: [{ status: 'ACTIVE', at }] }),
    ];
    const { text, blocks } = cardStatus(statusAlert(changes));

    expect(text).toBe(
      '2 cards of Jane Doe changed. Card 1212: active → blocked, changed by <@U1> in Cardbell. Card 9999: reported again as active.',
    );
    expect(shown(blocks)).toContain('*Card 1212:* active → blocked, changed by <@U1> in Cardbell.');
    expect(shown(blocks)).toContain('*Card 9999:* reported again as active.');
    expect(buttonIds(blocks)).toEqual([]);
  });

  it.each([
    ['is new', change({ from: null, steps: [{ status: 'INACTIVE', at }] }), 'new virtual card'],
    ['became active with its order', change({ from: 'INACTIVE', steps: [{ status: 'ACTIVE', at }] }), 'active'],
    ['is active when first seen', change({ from: null, steps: [{ status: 'ACTIVE', at }] }), 'active'],
  ])(
    'of a virtual card that %s asks for no action and does not mention a change outside Slack',
    (_what, one, words) => {
      const alert = statusAlert([one]);
      const { text, blocks } = cardStatus({ ...alert, card: { ...alert.card, isVirtual: true } });

      expect(text).toContain(words);
      expect(`${text} ${shown(blocks)}`).not.toMatch(/not activated yet|outside Slack/i);
      expect(buttonIds(blocks)).not.toContain('activate_card');
    },
  );

  it('of a virtual card that was blocked elsewhere says so', () => {
    const alert = statusAlert([change()]);
    const { blocks } = cardStatus({ ...alert, card: { ...alert.card, isVirtual: true } });

    expect(shown(blocks)).toContain('Changed outside Slack');
  });

  it('of many cards says how many more there are', () => {
    const changes = Array.from({ length: 14 }, (_, i) => change({ cardId: i + 1, last4: String(1000 + i) }));

    expect(shown(cardStatus(statusAlert(changes)).blocks)).toContain('… and 4 more.');
  });

  it('of a card that was activated once and then deactivated offers to activate it', () => {
    const progress = {
      cardOrderId: 1,
      created: '2026-11-01T14:00:00Z',
      shipped: null,
      activated: '2026-11-10T14:00:00Z',
      used: '2026-11-11T14:00:00Z',
      closed: null,
    };
    const inactive = change({ from: 'ACTIVE', steps: [{ status: 'INACTIVE', at }] });
    const { blocks } = cardStatus(statusAlert([inactive], { progress }));
    const virtual = cardStatus(statusAlert([inactive], { card: { ...card, isVirtual: true } }));

    expect(buttonIds(blocks)).toEqual(['activate_card']);
    expect(buttonIds(virtual.blocks)).toEqual(['activate_card']);
  });

  it('loses its button once it has been used', () => {
    const one = change({ from: null, steps: [{ status: 'INACTIVE', at }] });
    const done = statusAlert([one], { outcomes: [outcome({ verb: 'activate' })] });
    const waiting = statusAlert([change({ steps: [{ status: 'ACTIVE', at }] })], {
      outcomes: [outcome({ state: 'waiting' })],
    });

    expect(buttonIds(cardStatus(done).blocks)).toEqual(['block_card']);
    expect(shown(cardStatus(done).blocks)).toContain('*Activated* by <@U1>');
    expect(buttonIds(cardStatus(waiting).blocks)).toEqual([]);
  });
});

describe('a shipped card', () => {
  it('has a tracking link if the carrier is known', () => {
    const { text, blocks } = cardShipping(shippingAlert());
    const url = 'https://tools.usps.com/go/TrackConfirmAction?tLabels=9400111201080805483016';

    expect(text).toBe(
      'Jane Doe · card 1212 has been shipped with USPS, tracking number 9400111201080805483016. When it arrives, activate it.',
    );
    expect(shown(blocks)).toContain(`<${url}|9400111201080805483016>`);
    expect(buttons(blocks)).toMatchObject([{ action_id: 'track_shipment', url, text: { text: 'Track with USPS' } }]);
    expect(shown(blocks)).toContain('activate it: `/card activate 1212`');
  });

  it('that is already active is not described as waiting for activation', () => {
    const active = { ...card, status: 'ACTIVE' };
    const { blocks } = cardShipping(shippingAlert({}, { card: active }));

    expect(shown(blocks)).toContain('It is already activated.');
    expect(shown(blocks)).not.toContain('/card activate');
    const holders = renderHolderAlert(shippingAlert({}, { card: active }), { place: 'direct', isLong: true });
    expect(shown(holders?.blocks ?? [])).toContain('already activated');
  });

  it.each([
    ['closed', { progress: { cardOrderId: 1, created: null, shipped: at, activated: at, used: null, closed: at } }],
    ['closed', { card: { ...card, status: 'CLOSED' } }],
    ['blocked', { card: { ...card, status: 'BLOCKED' } }],
  ])('that is %s tells the team and the holder that it will not work', (status, rest) => {
    const alert = shippingAlert({}, rest);

    for (const isLong of [true, false]) {
      for (const message of [
        renderAlert(alert, { place: 'private', isLong }),
        renderHolderAlert(alert, { place: 'direct', isLong }),
      ]) {
        expect(shown(message?.blocks ?? [])).toContain(`It is ${status} and will not work`);
        expect(message?.text).toContain(`It is ${status} and will not work`);
        expect(JSON.stringify(message)).not.toMatch(/activate it|already activated|you can use it/);
      }
    }
  });

  it.each([
    ['BLOCKED', 'It is blocked and will not work. If it should work: `/card unblock 1212`'],
    ['CLOSED', 'It is closed and will not work. Closed is final: order a new one if it is needed.'],
  ])('that is %s says to the team what fixes it', (status, words) => {
    for (const isLong of [true, false]) {
      const { text, blocks } = renderAlert(shippingAlert({}, { card: { ...card, status } }), { ...view, isLong });
      for (const told of [text, shown(blocks)]) expect(told).toContain(words);
    }
  });

  it("shows an unknown carrier's tracking number as text", () => {
    const { blocks } = cardShipping(shippingAlert({ shippingMethod: 'Rush', trackingNumber: '<!here>' }));

    expect(shown(blocks)).toContain('*Tracking number*\n&lt;!here&gt;');
    expect(buttons(blocks)).toEqual([]);
  });

  it('without last four digits is activated by another name of the card', () => {
    const unknown = { ...card, last4: '' };
    const message = renderAlert(shippingAlert({ last4: '' }, { card: unknown }), view);

    expect(shown(message.blocks)).toContain('`/card activate 6231`');
  });

  it('works without a method and a number', () => {
    const { text } = cardShipping(shippingAlert({ shippingMethod: '', trackingNumber: '' }));

    expect(text).toBe('Jane Doe · card 1212 has been shipped. When it arrives, activate it.');
  });
});

describe('a virtual card', () => {
  const card = { ...virtualAlert().card, holder: null, last4: null };

  it.each([
    ['created', [], 'Virtual card created: Jon Snow', 'with everything as ordered'],
    ['not_created', [], 'Virtual card not created: Jon Snow', 'No card was created.'],
    ['resend', [], 'Virtual card details sent again: Jon Snow', 'were sent again. The card itself did not change.'],
    [
      'partial',
      ['Group', 'Ruleset', 'Activation', 'FUNDING', 'Sorting'],
      'Virtual card created, but incomplete: Jon Snow',
      'could not be put in its group, could not be given its spending rules, could not be activated, could not be funded, and could not be finished: “Sorting”. You can fix each of these in the card program’s portal.',
    ],
  ])('that is %s', (result, failed, headline, words) => {
    const { text, blocks } = virtualCard(virtualAlert({ outcome: result, failed }, { card }), view);

    expect(shown(blocks).startsWith(headline)).toBe(true);
    expect(shown(blocks)).toContain(words);
    expect(text.startsWith(headline)).toBe(true);
    expect(text).toContain(words);
    expect(/card 8888/i.test(shown(blocks))).toBe(result !== 'not_created');
  });

  it.each([
    ['Group', 'put in its group'],
    ['Ruleset', 'given its spending rules'],
    ['Activation', 'activated'],
    ['Funding', 'funded'],
  ])('whose Errors name only %s could not be %s, and no other failure is mentioned', (error, words) => {
    const { text, blocks } = virtualCard(virtualAlert({ outcome: 'partial', failed: [error] }, { card }), view);

    for (const told of [text, shown(blocks)]) {
      expect(told).toContain(
        `The card exists, but it could not be ${words}. You can fix this in the card program’s portal.`,
      );
    }
  });

  it.each([
    ['not created', { outcome: 'not_created', failed: ['Card'] }, 'No card was created.'],
    ['incomplete, and no step is named', { outcome: 'partial' }, 'The card exists, but it could not be finished.'],
  ])('that is %s says the card service’s reason to everybody in the channel', (_what, order, words) => {
    const alert = virtualAlert({ ...order, message: 'Account *creation* failed' }, { card });

    for (const isLong of [true, false]) {
      const { text, blocks } = renderAlert(alert, { ...view, isLong });
      for (const told of [text, shown(blocks)])
        expect(told).toMatch(
          new RegExp(`${words} The card service says: “Account .creation. failed”\\. (?:Check|You can fix)`),
        );
      expect(shown(blocks).match(/The card service/g)).toHaveLength(1);
    }
  });

  it('that was not created tells its holder only that whoever manages the cards knows', () => {
    for (const isLong of [true, false]) {
      const message = renderHolderAlert(virtualAlert({ outcome: 'not_created' }), { place: 'direct', isLong });
      for (const told of [message?.text, shown(message?.blocks ?? [])])
        expect(told).toMatch(/not created[\s\S]*Whoever manages your cards has been told\./);
    }
  });

  it('whose only failure is its activation sends nobody to the portal', () => {
    const order = { outcome: 'partial', failed: ['Activation'], status: 'INACTIVE' } as const;
    const { text } = virtualCard(virtualAlert(order, { card }), view);

    expect(text).toContain('it could not be activated. To activate it: `/card activate 8888`');
  });

  it('that could not be activated says how to activate it, and names each failure once', () => {
    const failed = ['Activation', 'ruleset', 'Ruleset'];
    const { text } = virtualCard(virtualAlert({ outcome: 'partial', failed, status: 'INACTIVE' }, { card }), view);

    expect(text).toContain(
      'it could not be activated and could not be given its spending rules. You can fix each of these in the card program’s portal. To activate it: `/card activate 8888`',
    );
  });

  it.each([
    ['INACTIVE', 'it is not activated and cannot be used. Activate it: `/card activate 8888`'],
    ['BLOCKED', 'it is blocked and cannot be used. If it should work: `/card unblock 8888`'],
    ['CLOSED', 'it is closed and cannot be used. Closed is final: order a new one.'],
    ['PAUSED', 'it is PAUSED and cannot be used. Check it in the card program’s portal.'],
  ])('that is %s is not called ready', (status, words) => {
    const alert = virtualAlert({ outcome: 'created', status }, { card });
    const team = [virtualCard(alert, view), renderAlert(alert, view)];
    const holder = [true, false].map((isLong) => renderHolderAlert(alert, { place: 'direct', isLong }));

    for (const message of team) expect(shown(message.blocks)).toContain(words);
    for (const message of [...team, ...holder])
      expect(JSON.stringify(message)).not.toMatch(/ready|everything as ordered/);
    for (const message of holder) expect(JSON.stringify(message)).toContain('was created, but cannot be used');
  });

  it.each([
    ['BLOCKED', /\*Status\*\s+Blocked/],
    ['CLOSED', /\*Status\*\s+Closed/],
    ['INACTIVE', /\*Status\*\s+Not activated/],
    ['ACTIVE', null],
    [undefined, null],
  ] as const)(
    'whose details are sent again has the status that is known, not that of the resend: %s',
    (status, words) => {
      const alert = virtualAlert({ outcome: 'resend', status: 'INACTIVE' }, { card: { ...card, status } });
      const messages = [virtualCard(alert, view), renderHolderAlert(alert, { place: 'direct', isLong: true })];

      for (const message of messages)
        expect(shown(message?.blocks ?? [])).toMatch(words ?? /^(?![\s\S]*(?:Status|activated))/);
    },
  );

  it('that was not created names only its holder: the card that the account has is another one', () => {
    const alert = virtualAlert({ outcome: 'not_created' });

    expect(shown(renderAlert(alert, view).blocks)).toMatch(/^\*Virtual card not created\* · Jane Doe · <!date/);
    expect(JSON.stringify(renderAlert(alert, view))).not.toMatch(/1212|8888|6231/);
    expect(batchRows([alert], view)).toMatchObject([{ who: 'Jane Doe', last4: '' }]);
  });

  it('works without an account', () => {
    const nothing = virtualAlert(
      { outcome: 'not_created', acctId: null, last4: null, holder: '' },
      {
        card: { ...card, acctId: null, cardId: null },
      },
    );

    expect(virtualCard(nothing, view).text).toMatch(
      /^Virtual card not created: Unknown holder\. No card was created\./,
    );
  });

  it('keeps its balance out of public channels', () => {
    expect(shown(virtualCard(virtualAlert(), { place: 'public' }).blocks)).not.toContain('$400.00');
    expect(shown(virtualCard(virtualAlert(), view).blocks)).toContain('$400.00');
  });
});

describe('a reminder of a card that is still not activated', () => {
  const reminder = ActivationReminder.parse({ ...shippingAlert(), kind: 'activation-reminder' });

  it.each([true, false])('advises what can be done with such a card, which is not a block (long: %s)', (isLong) => {
    const text = shown(renderAlert(reminder, { ...view, isLong }).blocks);

    expect(text).toContain(
      'If its holder has it, activate it. If it never arrived, order a new one in the card program’s portal',
    );
    expect(text).toContain('nobody can pay with this one until it is activated.');
    expect(text).not.toMatch(/block/i);
  });

  it('shows when the card was shipped once, and not as the time of the reminder', () => {
    expect(shown(renderAlert(reminder, view).blocks)).toMatch(
      /^\*Still not activated\* · Jane Doe · card 1212\nShipped <!date[^>]*>\. If /,
    );
  });
});

it('says of a status that no webhook reported only when it was seen, to the team and the holder', () => {
  const reported = statusAlert([change()]);
  const seen = { ...reported, event: { ...reported.event, isSeen: true as const } };
  const words = (alert: typeof seen | typeof reported) => ({
    long: shown(renderAlert(alert, { ...view, isLong: true }).blocks),
    short: shown(renderAlert(alert, view).blocks),
    holder: [true, false].map((isLong) => shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? [])),
    row: batchRows([alert], view)[0]?.why,
  });

  expect(words(seen).long).toContain('*Changed before*');
  expect(words(seen).long).not.toContain('*When*');
  for (const text of [words(seen).short, ...words(seen).holder]) expect(text).toMatch(/<!date\^\d+\^seen /);
  expect(words(seen).row).toBe('Active → blocked (seen later)');
  expect(JSON.stringify(words(reported))).not.toMatch(/seen|Changed before/);
});

describe('the location of a card', () => {
  const cardOf = (status: string | null, last4 = '1212') => ({ cardId: Number(last4), last4, status });
  const shipment = {
    callbackAt: '2026-11-12T10:00:00Z',
    shippingMethod: 'FedEx',
    trackingNumber: ' ',
    last4: '1212',
    cardOrderId: null,
    orderedAt: null,
  };
  const later = '2026-11-22T10:00:00Z';
  const track = (status: string | null, over: Partial<CardTrack> = {}) =>
    cardTrack({
      card,
      isVirtual: false,
      named: null,
      cards: [cardOf(status)],
      shipments: [shipment],
      isForHolder: false,
      at: '2026-11-20T14:14:05Z',
      ...over,
    });

  it.each([
    ['new and shipped', track('INACTIVE'), 'On its way', 'Not activated yet.'],
    ['shipped ten days ago', track('INACTIVE', { at: later }), 'Shipped, not activated', 'Not activated yet.'],
    ['new and not shipped', track('INACTIVE', { shipments: [] }), 'Not activated', 'Not activated yet.'],
    ['active', track('Active'), 'Active', 'The card is active.'],
    ['blocked', track('BLOCKED'), 'Blocked', 'The card is blocked.'],
    ['closed', track('CLOSED'), 'Closed', 'The card is closed for good.'],
    ['virtual', track('ACTIVE', { isVirtual: true, shipments: [] }), 'Active', 'nothing is shipped'],
    ['of unknown status', track(null), 'Shipping', 'status is not known'],
  ])('of a card that is %s, says only what is true', (_what, { text, blocks }, title, state) => {
    expect(shown(blocks)).toMatch(new RegExp(`^${title}: Jane Doe`));
    expect(text).toContain(state);
  });

  it('does not take the shipment of another card of the account for that of the card that waits', () => {
    const cards = [cardOf('ACTIVE', '1111'), cardOf('INACTIVE', '2222')];
    const tracked = (...shipped: string[]) => {
      const { text, blocks } = track(null, { cards, shipments: shipped.map((last4) => ({ ...shipment, last4 })) });
      return `${text}\n${shown(blocks)}`;
    };

    expect(tracked('1111')).toMatch(/: I know of no shipment of card 2222 in the last 30 days\. Not activated yet\./);
    expect(tracked('1111')).toMatch(/^Not activated: .*\n.*\(card 1111\)/m);
    expect(tracked('1111')).not.toMatch(/On its way|Shipped with/);
    for (const digits of ['2222', '']) expect(tracked('1111', digits)).toMatch(/^On its way: /m);
  });

  it.each([
    ['ACTIVE', 'INACTIVE', '1111', /^Jane Doe · card 1111: I know of no shipment of card 1111 .* The card is active\./],
    ['CLOSED', 'ACTIVE', '1111', /^Jane Doe · card 1111: I know of no shipment .* The card is closed for good\./],
    ['ACTIVE', 'INACTIVE', '2222', /^Jane Doe · card 2222: Shipped .* Not activated yet\./],
    ['ACTIVE', 'CLOSED', null, /^Jane Doe · card 1111: I know of no shipment .* The card is active\./],
    ['INACTIVE', 'INACTIVE', null, /^Jane Doe · card 2222: Shipped .* Not activated yet\./],
  ])(
    'of an account with one %s and a newer %s card is that of the card it names: %s',
    (older, newer, digits, words) => {
      const cards = [cardOf(older, '1111'), cardOf(newer, '2222')];
      const named = cards.find(({ last4 }) => last4 === digits) ?? null;
      const { text, blocks } = track(null, { cards, named, shipments: [{ ...shipment, last4: '2222' }] });

      expect(text).toMatch(words);
      const name = text.slice(0, text.indexOf(':'));
      expect(shown(blocks)).toMatch(new RegExp(`^[^:\n]+: ${name}$`, 'm'));
      if (text.includes('Not activated')) expect(shown(blocks)).toContain('`/card activate 2222`');
      else expect(shown(blocks)).not.toContain('/card activate');
    },
  );

  it('tells a holder to tell an operator, who can activate it', () => {
    const holders = (isVirtual: boolean) => shown(track('INACTIVE', { isVirtual, isForHolder: true }).blocks);

    expect(holders(false)).toContain('It does not work until it is activated: tell an operator when it arrives.');
    expect(holders(true)).toContain('It does not work until it is activated: tell an operator.');
    expect(holders(false) + holders(true)).not.toContain('/card activate');
  });

  it.each([
    [false, 'If it never arrived, order a new one in the card program’s portal.'],
    [true, 'If it never arrived, ask for a new one.'],
  ])('says what to do about one that never arrived once it is overdue (for its holder: %s)', (isForHolder, words) => {
    const read = (at: string) => shown(track('INACTIVE', { isForHolder, at }).blocks);

    expect(read(later)).toContain(words);
    expect(read('2026-11-22T09:59:59Z')).not.toContain('never arrived');
    expect(shown(track('ACTIVE', { isForHolder, at: later }).blocks)).not.toContain('never arrived');
  });

  it('says that a virtual card can be activated, not that it arrives', () => {
    const virtual = shown(track('INACTIVE', { isVirtual: true, shipments: [] }).blocks);

    expect(virtual).toContain('Activate it: `/card activate 1212`');
    expect(virtual).not.toContain('arrived');
    expect(shown(track('INACTIVE').blocks)).toContain('When the card has arrived, activate it: `/card activate 1212`');
  });

  it('mentions a missing tracking number instead of ending the sentence early', () => {
    expect(shown(track('INACTIVE').blocks)).toMatch(/\(card 1212\): no tracking number/);
  });
});
