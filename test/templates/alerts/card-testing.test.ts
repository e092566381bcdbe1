import { describe, expect, it } from 'vitest';
import { CardTestingAlert, readTestedCardValue, type TriedCard } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { stillOpen } from '../../../templates/alerts/card-testing.ts';
import { batchRow } from '../../../templates/outbox/batch-row.ts';
import { outcome, transactionAlert } from '../fixtures.ts';
import { buttonIds, buttons, shown } from '../shown.ts';

const inChannel = { place: 'private', channel: 'C1', isLong: true } as const;

function triedCard(index: number, over: Partial<TriedCard> = {}): TriedCard {
  return {
    acctId: 7000 + index,
    alertId: `evt_${String(index).padStart(16, '0')}`,
    holder: ['Jane Doe', 'Jon Snow', 'Mia <Wong>'][index] ?? `Holder ${index}`,
    last4: String(1200 + index),
    count: 1,
    firstAt: '2026-11-20T14:14:00Z',
    lastAt: '2026-11-20T14:20:00Z',
    minCents: 100,
    maxCents: 100,
    places: ['Austin, TX'],
    ...over,
  };
}

function warning(tried: readonly TriedCard[], rest: Partial<CardTestingAlert> = {}): CardTestingAlert {
  const { event, card } = transactionAlert({ decline: { code: 'decline', message: 'Do not honor' } });
  return CardTestingAlert.parse({ kind: 'card-testing', event, card, outcomes: [], late: false, tried, ...rest });
}

describe('a card-testing warning', () => {
  it('names the cards and the time span, and offers to block one or all', () => {
    const tried = [triedCard(0, { count: 2, maxCents: 500 }), triedCard(1), triedCard(2)];
    const { text, blocks } = renderAlert(warning(tried), inChannel);

    expect(text).toBe(
      'Possible card testing: 3 cards declined at Blue Bottle Coffee: Jane Doe · card 1200, Jon Snow · card 1201, Mia &lt;Wong&gt; · card 1202.',
    );
    expect(shown(blocks)).toMatchInlineSnapshot(`
      "Possible card testing: 3 cards at Blue Bottle Coffee
      *3 cards declined at Blue Bottle Coffee, Austin, TX*, <!date^1795184040^first {date_short_pretty} at {time}|first Nov 20, 2026, 9:14 AM ET>, <!date^1795184400^last {date_short_pretty} at {time}|last Nov 20, 2026, 9:20 AM ET>.
      Somebody may be trying out stolen card numbers. Or the merchant’s terminal may be faulty. Ask the cardholders if it was them, and block the cards of those who say no.
      • *Jane Doe* · card 1200: 2 declines, $1.00 to $5.00
      • *Jon Snow* · card 1201: 1 decline, $1.00
      • *Mia &lt;Wong&gt;* · card 1202: 1 decline, $1.00
      Block one card…
      Jane Doe · card 1200
      Jon Snow · card 1201
      Mia <Wong> · card 1202
      Block this card?
      The chosen card will decline every purchase until somebody unblocks it.
      Block card
      Cancel
      Block all 3 cards
      Block 3 cards?
      Each will decline every purchase until somebody unblocks it: Jane Doe · card 1200; Jon Snow · card 1201; Mia <Wong> · card 1202
      Block 3 cards
      Cancel
      Acknowledge
      evt_0123456789abcdef · further declines at this merchant are in this thread"
    `);
    expect(blocks.length).toBeLessThan(9);
  });

  it('names itself to screen readers, not one of the cards', () => {
    const labels = JSON.stringify(
      renderAlert(warning([triedCard(0), triedCard(1), triedCard(2)]), { ...inChannel, isLong: false }).blocks,
    );

    expect(labels).toContain('"accessibility_label":"Acknowledge: possible card testing at Blue Bottle Coffee"');
    expect(labels).toMatch(/"accessibility_label":"Details: Possible card testing[^"]*Blue Bottle Coffee"/);
  });

  it('with several cities lists the places of each card, and no common city', () => {
    const reno = ['Reno, NV'];
    const alert = warning([triedCard(0, { places: ['Austin, TX', ...reno] }), triedCard(1, { places: reno })]);

    const long = shown(renderAlert(alert, inChannel).blocks);
    expect(long).toContain('*2 cards declined at Blue Bottle Coffee, in 2 places*');
    expect(long).toContain('• *Jane Doe* · card 1200: 1 decline, $1.00, Austin, TX and Reno, NV');
    expect(long).toContain('• *Jon Snow* · card 1201: 1 decline, $1.00, Reno, NV');
    const short = shown(renderAlert(alert, { ...inChannel, isLong: false }).blocks);
    expect(short).toContain('Austin, TX; Reno, NV · Further declines');
    expect(batchRow(alert, inChannel).place).toBe('2 places');
  });

  it("with a single city other than the triggering decline's names that city", () => {
    const alert = warning([triedCard(0, { places: ['Reno, NV'] }), triedCard(1, { places: ['Reno, NV'] })]);

    expect(shown(renderAlert(alert, inChannel).blocks)).toContain('at Blue Bottle Coffee, Reno, NV*');
    expect(shown(renderAlert(alert, { ...inChannel, isLong: false }).blocks)).not.toContain('Austin');
  });

  it('shows the outcome for each card, and offers the remaining actions', () => {
    const outcomes = [
      outcome({ acctId: 7000 }),
      outcome({ acctId: 7001, state: 'failed', text: 'The card service refused.' }),
      outcome({ verb: 'acknowledge', by: 'U2' }),
    ];
    const { blocks } = renderAlert(warning([triedCard(0), triedCard(1), triedCard(2)], { outcomes }), inChannel);

    expect(shown(blocks)).toMatch(/Jane Doe.*\n {4}\*Blocked\* by <@U1>/);
    expect(shown(blocks)).toMatch(/Jon Snow.*\n {4}\*Block failed\* \(requested by <@U1>\).*refused/);
    expect(buttonIds(blocks)).toEqual(['block_tested_cards']);
    expect(buttons(blocks)[0]).toMatchObject({ text: { text: 'Block both cards' }, style: 'danger' });
    expect(readTestedCardValue(buttons(blocks)[0]?.value ?? ''), 'blocks no card that was added later').toMatchObject({
      alertId: triedCard(2).alertId,
    });
    expect(JSON.stringify(blocks)).not.toContain('evt_0000000000000000"');
  });

  it('offers no block of a closed card: closed when it was tried, or found closed by a block', () => {
    const outcomes = [outcome({ acctId: 7001, state: 'failed', text: 'The card is closed.', isClosed: true })];
    const tried = [triedCard(0, { isClosed: true }), triedCard(1), triedCard(2)];
    const { blocks } = renderAlert(warning(tried, { outcomes }), inChannel);

    expect(shown(blocks)).toContain('• *Jane Doe* · card 1200: 1 decline, $1.00, closed for good');
    expect(stillOpen(warning(tried, { outcomes })).map(({ acctId }) => acctId)).toEqual([7002]);
    expect(JSON.stringify(blocks)).not.toContain('evt_0000000000000001"');
    expect(buttonIds(blocks)).not.toContain('block_tested_cards');
  });

  it('has no controls once all cards are blocked and it was acknowledged', () => {
    const outcomes = [outcome({ acctId: 7000 }), outcome({ verb: 'acknowledge' })];

    expect(JSON.stringify(renderAlert(warning([triedCard(0)], { outcomes }), inChannel).blocks)).not.toContain(
      '"actions"',
    );
  });

  it('says how many more there are if there are many', () => {
    const many = Array.from({ length: 230 }, (_, index) => triedCard(index, { holder: 'A'.repeat(200) }));
    const { text, blocks } = renderAlert(warning(many), inChannel);

    expect(text).toContain('and 215 more');
    expect(shown(blocks)).toContain('… and 215 more');
    expect(buttons(blocks)[0]).toMatchObject({ text: { text: 'Block all 100 cards' } });
    expect(blocks.length).toBeLessThan(10);
  });
});
