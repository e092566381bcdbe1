import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { Alert } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { alertDetails } from '../../../templates/alerts/alert-details.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import {
  batchRows,
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

const view = { place: 'private', channel: 'C1' } as const;
const time = '<!date^1795184040^{time}|Nov 20, 2026, 9:14 AM ET>';

const newCard = change({ from: null, steps: [{ status: 'INACTIVE', at: '2026-11-20T14:14:05Z' }] });
const activatedSince = {
  cardOrderId: 1221,
  created: '2026-11-10T10:00:00Z',
  shipped: null,
  activated: '2026-11-20T14:20:00Z',
  used: null,
  closed: null,
};

/** The texts above and below the buttons, without the labels of the buttons. */
function lines(alert: Alert, isHolders = false): string[] {
  const message = isHolders ? renderHolderAlert(alert, view) : renderAlert(alert, view);
  const blocks = message?.blocks.filter(({ type }) => type !== 'actions') ?? [];
  return shown(blocks).split('\n');
}

describe('an alert has three lines', () => {
  it('for a decline: what happened; why, by how much and when it resets; the small print', () => {
    const alert = transactionAlert({}, { remedy: raise });

    expect(lines(alert)).toEqual([
      `*Declined: $84.10 at Blue Bottle Coffee* · Jane Doe · card 1212 · ${time}`,
      '*Over the daily limit:* $49.00 more than the $35.10 left. <!date^1795237200^Resets {date_short_pretty} at {time}|Resets Nov 21, 2026, 12:00 AM ET>.',
      'Fast food restaurants · In person · Austin, TX · decline.rule.velocity · evt_0123456789abcdef',
    ]);
    expect(buttonIds(renderAlert(alert, view).blocks)).toEqual([
      'approve_remedy',
      'block_card',
      'acknowledge_alert',
      'show_details',
    ]);
  });

  it('with only the time of a decline that was tried once, although its repeats are counted', () => {
    const at = '2026-11-20T14:14:00Z';
    const alert = transactionAlert(
      {},
      { repeats: { C1: { count: 1, firstAt: at, lastAt: at, minCents: 8410, maxCents: 8410 } } },
    );

    expect(lines(alert)[0]).toBe(`*Declined: $84.10 at Blue Bottle Coffee* · Jane Doe · card 1212 · ${time}`);
  });

  it('for declines of a blocked card: with the first merchant, and nothing that applies only to that one', () => {
    const at = '2026-11-20T14:14:00Z';
    const repeats = { C1: { count: 3, firstAt: at, lastAt: at, minCents: 1200, maxCents: 8410 } };
    const [head, , small] = lines(transactionAlert({}, { remedy: { kind: 'unblock' }, repeats }));

    expect(head).toContain('*Declined 3 times: $12.00 to $84.10, first at Blue Bottle Coffee*');
    expect(small).not.toMatch(/Austin|Fast food|In person/);
    expect(lines(transactionAlert({}, { remedy: { kind: 'unblock' } }))[2]).toMatch(/Fast food.*Austin, TX/);
  });

  describe('for declines of a blocked card', () => {
    const [firstAt, lastAt] = ['2026-11-20T14:14:00Z', '2026-11-20T14:20:00Z'];
    const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:40:00Z' });
    const unblocked = outcome({ verb: 'unblock', by: 'U0ANA', at: '2026-11-20T14:38:00Z' });
    const counted = (minCents: number, outcomes: Outcome[], count = 3) =>
      transactionAlert(
        {},
        {
          remedy: { kind: 'unblock' },
          repeats: { C1: { count, firstAt, lastAt, minCents, maxCents: 8410 } },
          outcomes,
        },
      );

    it.each([
      ['different amounts', 1200],
      ['the same amount, which may be at several merchants', 8410],
    ])('names what was paid among several of %s', (_, minCents) => {
      const several = counted(minCents, [unblocked, paid]);
      const text = lines(several).join(' ');

      expect(text).toContain('*Paid:* $84.10 at Blue Bottle Coffee at <!date');
      expect(text).toContain('*Unblocked* by <@U0ANA>');
      expect(text).not.toContain('Resolved');
      expect(text).toContain('*Card was blocked.*');
      expect(renderAlert(several, view).text).toContain(' Paid $84.10 at Blue Bottle Coffee.');
      const [row] = batchRows([several], view);
      expect(row?.done).toMatchObject({ verb: 'repeat-paid' });
      const holders = lines(several, true).join(' ');
      expect(holders).toContain('*Paid: $84.10 at Blue Bottle Coffee*');
      expect(holders).not.toContain('went through');
    });

    it('resolves a single one', () => {
      expect(lines(counted(8410, [unblocked, paid], 1)).join(' ')).toContain('*Resolved.*');
    });

    it('says which of the others was paid, and that the card works again', () => {
      const other = outcome({ ...paid, verb: 'repeat-paid', text: '$15.00 at <Netflix>' });

      const text = lines(counted(1500, [other])).join(' ');
      expect(text).toContain('*Paid:* $15.00 at &lt;Netflix&gt; at <!date');
      expect(text).toContain('*Card was blocked.*');
      expect(lines(counted(1500, [{ ...other, state: 'failed' }])).join(' ')).toContain('*Payment reversed:* $15.00');
      // The payment that was reversed had been accepted.
      expect(lines(counted(1500, [{ ...other, state: 'failed' }])).join(' ')).toContain('*Card was blocked.*');
      const blockedAgain = outcome({ verb: 'block', by: 'U0ANA', at: '2026-11-20T15:00:00Z' });
      expect(lines(counted(1500, [other, blockedAgain])).join(' ')).toContain('*Card is blocked.*');
    });
  });

  it('for declines of a blocked card: without a merchant if an earlier decline arrived later', () => {
    const [firstAt, lastAt] = ['2026-11-20T14:10:00Z', '2026-11-20T14:14:00Z'];
    const repeats = { C1: { count: 2, firstAt, lastAt, minCents: 1200, maxCents: 8410 } };
    const alert = declined('decline.card.status', '', { remedy: { kind: 'unblock' }, repeats });

    expect(lines(alert)[0]).toContain('*Declined 2 times: $12.00 to $84.10* · Jane Doe');
    const messages = [
      renderAlert(alert, { place: 'private', isLong: true }),
      ...[true, false].map((isLong) => renderHolderAlert(alert, { place: 'direct', isLong })),
    ];
    for (const message of messages) {
      expect(message?.text).toContain('12.00');
      expect(JSON.stringify(message)).not.toMatch(/Blue Bottle|first at/i);
    }
  });

  it.each<[string, Alert, RegExp, RegExp]>([
    [
      'a rule',
      declined('decline.rule.location', 'No'),
      /^\*Declined: \$84\.10 at /,
      /^\*Purchases abroad not allowed\.\* The/,
    ],
    [
      'a rule that cannot be changed here',
      declined('decline.mcc', 'No'),
      /^\*Declined: \$84\.10 at /,
      /^\*Merchant category never allowed\.\* .* No setting changes this\./,
    ],
    ['an unknown code', declined('decline.new', 'Something new'), /^\*Declined: \$84\.10 at /, /Something new/],
    [
      'a status',
      statusAlert([change()]),
      /^\*Card blocked\* · Jane Doe · card 1212/,
      /^Active → blocked, changed outside Slack\./,
    ],
    [
      'a shipment',
      shippingAlert(),
      /^\*Card shipped\* · Jane Doe · card 1212/,
      /^USPS, <https.*>\. When it arrives, activate it/,
    ],
    ['a new card', statusAlert([newCard]), /^\*New card\* · Jane Doe · card 1212/, /^Not activated yet\.$/],
    [
      'a new card that was activated since',
      statusAlert([newCard], { progress: activatedSince }),
      /^\*New card\* · Jane Doe · card 1212/,
      /^Activated since\.$/,
    ],
    ['a virtual card', virtualAlert(), /^\*Virtual card created\* · .* · card 1212/, /^The card is ready/],
  ])('for %s', (_what, alert, first, second) => {
    const read = lines(alert);

    expect(read).toHaveLength(3);
    expect(read[0]).toMatch(first);
    expect(read[1]).toMatch(second);
    expect(read[2]).toContain('evt_0123456789abcdef');
  });

  it('for the holder: with advice for the holder, not for the program', () => {
    const read = lines(transactionAlert({}, { remedy: raise }), true);

    expect(read[0]).toBe(`*Declined: $84.10 at Blue Bottle Coffee* · your card 1212 · ${time}`);
    expect(read.join('\n')).toMatch(/Ask for a higher limit, or pay \$35\.10 or less\./);
    expect(read.join('\n')).not.toMatch(/Admin|Raise the/);
  });

  it('for a new card: with an activation button only until it is activated', () => {
    expect(buttonIds(renderAlert(statusAlert([newCard]), view).blocks)).toEqual(['activate_card', 'show_details']);
    expect(buttonIds(renderAlert(statusAlert([newCard], { progress: activatedSince }), view).blocks)).toEqual([
      'block_card',
      'show_details',
    ]);
  });

  it.each([
    ['activated', { progress: activatedSince }, /activated since/i, 'It has been activated since.'],
    ['activated', { outcomes: [outcome({ verb: 'activate' })] }, /activated since/i, 'It has been activated since.'],
    [
      'closed',
      { progress: { ...activatedSince, closed: '2026-11-21T10:00:00Z' } },
      /closed since/i,
      'It can never be used again.',
    ],
  ])('for a new card that was %s since: nobody is told any more to activate it', (_what, rest, since, forHolder) => {
    const alert = statusAlert([newCard], rest);
    for (const isLong of [true, false]) {
      const team = renderAlert(alert, { ...view, isLong });
      const holder = renderHolderAlert(alert, { ...view, isLong });

      expect(team.text).toMatch(since);
      expect(shown(team.blocks)).toMatch(since);
      expect(holder?.text).toContain(forHolder);
      expect(shown(holder?.blocks ?? [])).toContain(forHolder);
      expect(JSON.stringify([team, holder])).not.toMatch(/not activated yet|until it is activated/i);
    }
  });

  it('with a card order named only once', () => {
    const small = lines(shippingAlert({}, { progress: { ...activatedSince, cardOrderId: 1221 } })).at(-1) ?? '';

    expect(small.match(/1221/g)).toHaveLength(1);
  });

  it('with the outcomes below them', () => {
    expect(lines(transactionAlert({}, { outcomes: [outcome({})] })).at(-2)).toMatch(/^\*Blocked\* by <@U1>/);
  });

  it('with the same sentence as the long form, which a channel can choose', () => {
    const alert = transactionAlert({}, { remedy: raise });
    const long = renderAlert(alert, { ...view, isLong: true });

    expect(renderAlert(alert, view).text).toBe(long.text);
    expect(shown(long.blocks)).toContain('*Admin:*');
    expect(buttonIds(long.blocks)).not.toContain('show_details');
  });

  it('with the rest in a modal, which has no buttons', () => {
    const details = alertDetails(transactionAlert({}, { remedy: raise }), 'team', {
      ...view,
      now: new Date('2026-11-20T14:20:00Z'),
    });

    expect(shown((details?.blocks ?? []) as Parameters<typeof shown>[0])).toContain('*Admin:*');
    expect(buttonIds((details?.blocks ?? []) as Parameters<typeof shown>[0])).toEqual([]);
  });

  it.each(['team', 'holder'])("with the card in each button's label for screen readers: %s", (audience) => {
    const alert = transactionAlert({}, { remedy: raise });
    const message = audience === 'team' ? renderAlert(alert, view) : renderHolderAlert(alert, view);
    const elements = message?.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : [])) ?? [];

    expect(elements.length).toBeGreaterThan(3);
    for (const element of elements)
      expect(element).toMatchObject({ accessibility_label: expect.stringContaining('1212') });
  });
});

const cities = ['Austin', 'Reno', 'Boise'];

it.each(['decline', 'authorization', 'settlement', 'reversal', 'pin'] as const)(
  '%s alerts show the city of their own purchase to the team and the holder, whatever else they show',
  (kind) => {
    for (const city of cities) {
      const merchant = { name: 'Blue Bottle Coffee', city, state: 'TX', country: 'US', id: 'M1' };
      const alert = transactionAlert({ kind, merchant, ...(kind === 'decline' ? {} : { decline: null }) });
      for (const message of [
        renderAlert(alert, view),
        renderHolderAlert(alert, view),
        alertDetails(alert, 'team', { ...view, now: new Date('2026-11-20T14:20:00Z') }),
      ]) {
        const text = JSON.stringify(message ?? '');
        expect(
          cities.filter((name) => text.includes(name) && name !== city),
          `${kind} in ${city}`,
        ).toEqual([]);
      }
      expect(JSON.stringify(renderAlert(alert, view)), `${kind} in ${city}`).toContain(city);
    }
  },
);
