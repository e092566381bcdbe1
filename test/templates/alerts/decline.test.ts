import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { actionId } from '../../../src/slack/action-id.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { decline } from '../../../templates/alerts/decline.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { card, dailyRaise, declined, nobody, outcome, raise, transactionAlert } from '../fixtures.ts';
import { buttonIds, buttons, shown } from '../shown.ts';

const inChannel = { place: 'private' } as const;
const velocity = ['decline.rule.velocity', 'Transaction exceeded daily spend limit'] as const;

describe('a declined purchase', () => {
  it('says what, why and what fixes it', () => {
    const { text, blocks } = decline(declined(...velocity, { remedy: raise }), inChannel);

    expect(text).toBe(
      'Declined: $84.10 at Blue Bottle Coffee, Austin, TX · Jane Doe · card 1212: over the daily limit: $49.00 more than the $35.10 left. <!date^1795237200^Resets {date_short_pretty} at {time}|Resets Nov 21, 2026, 12:00 AM ET>.',
    );
    expect(shown(blocks)).toMatchInlineSnapshot(`
      "Declined: $84.10 at Blue Bottle Coffee
      *Over the daily limit*
      *$49.00 over the daily limit of $400.00*; $35.10 was left. <!date^1795237200^Resets {date_short_pretty} at {time}|Resets Nov 21, 2026, 12:00 AM ET>.
      *Cardholder*
      Jane Doe
      *Card*
      Card 1212
      *Merchant*
      Blue Bottle Coffee
      Austin, TX
      *Category*
      Fast food restaurants
      *How*
      In person
      *When*
      <!date^1795184040^{date_short_pretty} at {time}|Nov 20, 2026, 9:14 AM ET>
      *Cardholder:* Ask for a higher limit, pay $35.10 or less, or wait <!date^1795237200^until {date_short_pretty} at {time}|until Nov 21, 2026, 12:00 AM ET>.
      *Admin:* Raise the daily limit to at least $449.00 if the purchase is legitimate, then have it tried again.
      Raise daily limit…
      Block card
      Block this card?
      Jane Doe · card 1212 will decline every purchase until somebody unblocks it.
      Block card
      Cancel
      Acknowledge
      evt_0123456789abcdef · decline.rule.velocity"
    `);
  });

  it('shows the shortfall, but none once the limit has changed', () => {
    const short = shown(decline(declined(...velocity, { remedy: raise }), inChannel).blocks);
    const moved = shown(
      decline(declined(...velocity, { remedy: remedyOf({ ...dailyRaise, remainingCents: 9000 }) }), inChannel).blocks,
    );

    expect(short).toContain('*$49.00 over the daily limit of $400.00*; $35.10 was left.');
    expect(moved).toContain('$90.00 of the daily limit of $400.00 is left now: enough for this purchase.');
  });

  it('counts the extra amount that the card service sets aside', () => {
    const remedy = remedyOf({ ...dailyRaise, remainingCents: 8410, to: 41_682 });
    const { blocks } = decline(transactionAlert({ paddingCents: 1682 }, { remedy }), inChannel);

    expect(shown(blocks)).toContain(
      '$84.10 plus $16.82 that the card service sets aside is *$16.82 over the daily limit of $400.00*; $84.10 was left.',
    );
    expect(shown(blocks)).toContain('pay $67.28 or less');
  });

  it('names every window that was too small, and the minimum change to each', () => {
    const weekly = limitRaise('weekly', 50_000, 58_410, { remainingCents: 0 });
    const lifetime = limitRaise('lifetime', 60_000, 67_510, { remainingCents: 900 });
    const both = shown(decline(declined(...velocity, { remedy: remedyOf(dailyRaise, weekly) }), inChannel).blocks);
    const never = shown(decline(declined(...velocity, { remedy: remedyOf(dailyRaise, lifetime) }), inChannel).blocks);

    expect(both).toContain(
      'Also too small: weekly limit (nothing was left, <!date^1795323600^resets {date_short_pretty} at {time}|resets Nov 22, 2026, 12:00 AM ET>).',
    );
    expect(both).toContain(
      'Raise the daily limit to at least $449.00 and the weekly limit to at least $584.10 (more if the card has spent above its limit) if',
    );
    expect(both).toContain('*Cardholder:* Ask for a higher limit, or wait <!date^1795323600^until ');
    expect(never).toContain('Also too small: lifetime limit ($9.00 was left).');
    expect(never).toContain('*Cardholder:* Ask for a higher limit, or pay $9.00 or less.');
  });

  it('names all limits that have to rise, of the category and the card, including those that only rise along', () => {
    const category = { id: 7, name: 'Fuel' };
    const daily = limitRaise('daily', 50_000, 50_410, { remainingCents: 8000 });
    const weekly = limitRaise('weekly', 50_200, 50_410, { isAdjustedToo: true });
    const atOnce = limitRaise('transaction', 6000, 8410, { remainingCents: 6000, category });
    const remedy = remedyOf(atOnce, daily, weekly);
    const { blocks } = decline(declined('decline.rule.velocity.mcc', 'over', { remedy }), inChannel);

    expect(shown(blocks)).toContain(
      '*$24.10 over the limit for a single purchase at Fuel of $60.00*.\nAlso too small: overall daily limit ($80.00 was left,',
    );
    expect(shown(blocks)).toContain(
      'Raise the limit for a single purchase at Fuel to at least $84.10, the daily limit to at least $504.10, and the weekly limit to at least $504.10 if',
    );
    expect(shown(blocks)).toContain('*Cardholder:* Ask for a higher limit, or pay $60.00 or less.');
    expect(buttons(blocks)[0]).toMatchObject({ text: { text: 'Raise 3 limits…' } });
  });

  it('that arrives after the limit has reset gives no amounts, and says to try again', () => {
    const [late, unread] = ['2026-11-21T14:00:00Z', { remainingCents: null }];
    const remedy = remedyOf(limitRaise('daily', 40_000, null, unread));
    const alert = transactionAlert({ receivedAt: late }, { remedy });
    const two = remedyOf(limitRaise('daily', 8000, null, unread), limitRaise('weekly', 50_000, null, unread));
    const above = shown(decline(transactionAlert({ receivedAt: late }, { remedy: two }), inChannel).blocks);

    expect(shown(decline(alert, inChannel).blocks)).toContain(
      'More than what was left of the daily limit of $400.00. It has reset since.\n',
    );
    expect(shown(decline(alert, inChannel).blocks)).toContain('*Cardholder:* Try again: the limit has reset since.\n');
    expect(shown(renderAlert(alert, inChannel).blocks)).toContain(
      '*Over the daily limit of $400.00.* It has reset since.',
    );
    expect(above).toContain('of the daily limit of $80.00. It has reset since.');
    expect(above).toContain('*Cardholder:* Ask for a higher limit, ');
  });

  it('that arrives after its card was activated offers no activation', () => {
    const facts = { ...card, status: 'ACTIVE' } as const;
    const inactive = ['decline.card.status', 'Card Status Inactive'] as const;
    const since = declined(...inactive, { card: facts });
    const alert = { ...since, isKnownLater: true } as const;

    for (const { blocks } of [decline(alert, inChannel), renderAlert(alert, inChannel)]) {
      expect(shown(blocks)).not.toContain('ctivate it');
      expect(shown(blocks)).toContain('It is active by now.');
      expect(shown(blocks)).toContain('Have the purchase tried again.');
      expect(buttonIds(blocks)).not.toContain(actionId.activateCard);
      expect(buttonIds(blocks)).toContain(actionId.blockCard);
    }
    // What the directory knows may be older or newer than the decline.
    const [unclear] = [decline(since, inChannel).blocks];
    expect(buttonIds(unclear)).toEqual([actionId.blockCard, actionId.acknowledgeAlert]);
    expect(shown(unclear)).toContain('It was not active when the purchase was tried.');
    expect(shown(renderAlert(since, inChannel).blocks)).toContain(
      'If it is active by now, have the purchase tried again.',
    );
  });

  it.each([
    ['decline', 'CLOSED', 'acknowledge_alert'],
    ['decline.rule.velocity', 'CLOSED', 'acknowledge_alert'],
    ['decline.rule.velocity', 'BLOCKED', 'approve_remedy acknowledge_alert'],
    ['decline.of.tomorrow', 'BLOCKED', 'acknowledge_alert'],
    ['decline.card.status', 'CLOSED', 'acknowledge_alert'],
    ['decline.card.status', 'INACTIVE', 'activate_card block_card acknowledge_alert'],
  ])('with %s of a card that is %s offers only %s', (code, status, ids) => {
    const alert = declined(code, '', { card: { ...card, status } });

    expect(buttonIds(decline(alert, inChannel).blocks).join(' ')).toBe(ids);
  });

  it('that was repeated shows the number of attempts, the amounts, and the first and last time', () => {
    const repeats = {
      C1: {
        count: 4,
        firstAt: '2026-11-20T14:14:00Z',
        lastAt: '2026-11-20T14:31:00Z',
        minCents: 1200,
        maxCents: 8410,
      },
    };
    const alert = declined(...velocity, { remedy: raise, repeats });
    const here = decline(alert, { place: 'private', channel: 'C1' });

    expect(here.text).toBe(
      'Declined 4 times: $12.00 to $84.10 at Blue Bottle Coffee, Austin, TX · Jane Doe · card 1212: over the daily limit: $49.00 more than the $35.10 left. <!date^1795237200^Resets {date_short_pretty} at {time}|Resets Nov 21, 2026, 12:00 AM ET>. Last tried on Nov 20, 2026, 9:31 AM ET.',
    );
    expect(shown(here.blocks)).toContain('Declined 4 times: $12.00 to $84.10 at Blue Bottle Coffee');
    expect(shown(here.blocks)).toMatch(/\*First try\*\n<!date\^1795184040.*\n\*Last try\*\n<!date\^1795185060/);
    expect(buttonIds(here.blocks)).toEqual(['approve_remedy', 'block_card', 'acknowledge_alert']);
    expect(decline(alert, inChannel)).toEqual(here);
  });

  it('that was not repeated shows no count', () => {
    const once = {
      count: 1,
      firstAt: '2026-11-20T14:14:00Z',
      lastAt: '2026-11-20T14:14:00Z',
      minCents: 1,
      maxCents: 1,
    };

    expect(decline(declined(...velocity, { repeats: { C1: once } }), { place: 'private', channel: 'C1' })).toEqual(
      decline(declined(...velocity), inChannel),
    );
  });

  it('never shows a minus sign', () => {
    const overdrawn = transactionAlert({
      availableCents: -500,
      decline: { code: 'decline.balance.card', message: 'Transaction exceeded current card balance' },
    });
    const overLimit = declined(...velocity, { remedy: remedyOf({ ...dailyRaise, remainingCents: -500 }) });

    expect(shown(decline(overdrawn, inChannel).blocks)).toContain(
      'Card balance $5.00 overdrawn: this purchase needed *$89.10 more*',
    );
    expect(shown(decline(overLimit, inChannel).blocks)).toContain(
      '*$89.10 over the daily limit of $400.00*; nothing was left.',
    );
  });

  it('names the category of a category limit', () => {
    const category = { id: 7, name: 'Fuel & <gas>' };
    const alert = declined('decline.rule.velocity.mcc', 'Transaction exceeded merchant category limit', {
      remedy: remedyOf({ ...dailyRaise, rule: { ...dailyRaise.rule, category } }),
    });
    const { blocks } = decline(alert, inChannel);

    expect(shown(blocks)).toContain('over the daily limit for Fuel &amp; &lt;gas&gt; of $400.00');
    expect(buttons(blocks)[0]).toMatchObject({ text: { text: 'Raise category limit…' }, style: 'primary' });
  });

  it.each<[string, string, object | null, string]>([
    ['of the category, while nothing more is known', 'decline.rule.velocity.mcc', null, 'Raise category limit…'],
    ['of the card, if only that stops it now', 'decline.rule.velocity.mcc', raise, 'Raise daily limit…'],
    [
      'of the category, if only that stops it now',
      'decline.rule.velocity',
      remedyOf(limitRaise('daily', 40_000, 44_900, { category: { id: 7, name: 'Fuel' } })),
      'Raise category limit…',
    ],
  ])('offers to raise the limit %s', (_what, code, remedy, words) => {
    const { blocks } = decline(declined(code, 'over', { remedy: remedy as TransactionAlert['remedy'] }), inChannel);

    expect(buttons(blocks)[0]).toMatchObject({ text: { text: words } });
  });

  it('shows the requested amount only if it differs', () => {
    const same = shown(decline(transactionAlert({ requestedCents: 8410 }), inChannel).blocks);
    const other = shown(decline(transactionAlert({ requestedCents: 9999 }), inChannel).blocks);

    expect(same).not.toContain('Requested');
    expect(other).toContain('*Requested by the merchant*\n$99.99');
  });

  it('shows ids if the names are unknown', () => {
    const { text, blocks } = decline(declined(...velocity, { card: nobody }), inChannel);

    expect(text).toMatch(/^Declined: \$84\.10 .* · Card of account 7378: /);
    expect(shown(blocks)).toContain('*Cardholder*\nAccount 7378');
    expect(decline(declined(...velocity, { card: { ...nobody, acctId: null } }), inChannel).text).toBe(text);
  });

  it('says that it arrived late', () => {
    const { text, blocks } = decline(declined(...velocity, { late: true }), inChannel);

    expect(text).toMatch(/^Late notice: /);
    expect(shown(blocks)).toContain('Declined earlier: $84.10');
    expect(shown(blocks)).toContain('Arrived late');
  });

  it.each([
    [true, 'In person'],
    [false, 'Online or keyed in'],
  ])('says how it was paid: with the card present %s, %s', (isCardPresent, how) => {
    const { blocks } = decline(transactionAlert({ isCardPresent }), inChannel);

    expect(shown(blocks)).toContain(`*How*\n${how}\n`);
  });

  it('works without a merchant, a place and a category', () => {
    const merchant = { name: ' ', city: '', state: '', country: '', id: '' };
    const { text, blocks } = decline(transactionAlert({ merchant, mcc: '', isCardPresent: null }), inChannel);

    expect(text).toMatch(
      /^Declined: \$84\.10 · Jane Doe · card 1212: over the daily limit\. The purchase is more than /,
    );
    expect(shown(blocks)).not.toMatch(/\*(Merchant|Category|How)\*/);
  });
});

const all = {
  'decline.rule.location': ['International transactions not allowed', 'approve_remedy block_card acknowledge_alert'],
  'decline.rule.cardnotpresent': ['Card not present', 'approve_remedy block_card acknowledge_alert'],
  'decline.rule.velocity': [velocity[1], 'approve_remedy block_card acknowledge_alert'],
  'decline.rule.velocity.mcc': [
    'Transaction exceeded merchant category limit',
    'approve_remedy block_card acknowledge_alert',
  ],
  'decline.rule.mcc': [
    'Unauthorized merchant category: Hardware Stores',
    'approve_remedy block_card acknowledge_alert',
  ],
  'decline.balance.business': ['Insufficient balance in service account', 'block_card acknowledge_alert'],
  'decline.remote': ['Remote service decline', 'block_card acknowledge_alert'],
  'decline.mcc': ['Transaction type not allowed', 'block_card acknowledge_alert'],
  'decline.balance.card': ['Transaction exceeded current card balance', 'block_card acknowledge_alert'],
  'decline.card.status': ['New Card Pending Activation', 'activate_card block_card acknowledge_alert'],
  'decline.card.pin': ['PIN Verification Check', 'block_card acknowledge_alert'],
  decline: ['Do not honor', 'block_card acknowledge_alert'],
  'decline.of.tomorrow': ['Something new', 'block_card acknowledge_alert'],
} as const;

describe('the controls', () => {
  it.each(Object.entries(all))('of %s fit the code', (code, [message, ids]) => {
    const { blocks } = decline(declined(code, message), inChannel);

    expect(buttonIds(blocks).join(' ')).toBe(ids);
    expect(buttons(blocks).every(({ value }) => value === 'evt_0123456789abcdef')).toBe(true);
    expect(buttons(blocks).filter(({ style }) => style === 'primary').length).toBeLessThan(2);
    expect(buttons(blocks).find(({ action_id }) => action_id === 'block_card')).toMatchObject({
      style: 'danger',
      confirm: { confirm: { text: 'Block card' } },
    });
    expect(blocks.length).toBeLessThan(9);
  });

  it.each(Object.entries(all))(
    "of %s come with advice, and with the service's words only if those say more",
    (code, [message]) => {
      const text = shown(decline(declined(code, message), { place: 'direct' }).blocks);

      const quoted = /The card service says: “[^”]*”/;
      const other = shown(decline(declined(code, 'Merchant is on a watch list'), { place: 'direct' }).blocks);
      expect(text.includes(`The card service says: “${message}”`)).toBe(code === 'decline.of.tomorrow');
      expect(other, 'a distinct message').toMatch(quoted);
      expect(shown(decline(declined(code, ''), { place: 'direct' }).blocks), 'no message').not.toMatch(quoted);
      expect(text).toMatch(/\*Cardholder:\* \S.*\n\*Admin:\* \S/);
      expect(text).toContain(`evt_0123456789abcdef · ${code}`);
    },
  );

  it.each([
    ['Card Status Closed', 'acknowledge_alert'],
    ['Card Status Blocked', 'approve_remedy acknowledge_alert'],
    ['Card Status Inactive', 'activate_card block_card acknowledge_alert'],
  ])('of “%s” offer nothing that cannot work', (message, ids) => {
    expect(buttonIds(decline(declined('decline.card.status', message), inChannel).blocks).join(' ')).toBe(ids);
  });

  it('offer no activation if the card may be blocked and nobody knows which one it was', () => {
    const unnamed = { ...card, cardId: null, last4: null };
    const alert = declined('decline.card.status', 'Card Status Inactive', { card: unnamed });
    const messages = [decline(alert, inChannel), renderAlert(alert, inChannel)];

    for (const { blocks } of messages) {
      expect(buttonIds(blocks)).not.toContain(actionId.activateCard);
      expect(shown(blocks)).toContain('It may be blocked or not activated yet.');
      expect(shown(blocks)).toContain('Unblock or activate the card if the cardholder should be able to use it.');
    }
    const isNew = declined('decline.card.status', 'New Card Pending Activation', { card: unnamed });
    expect(buttonIds(decline(isNew, inChannel).blocks)).toContain(actionId.activateCard);
    const since = { ...alert, outcomes: [outcome({ verb: 'activate' })] };
    expect(shown(decline(since, inChannel).blocks)).toContain('It is active by now.');
  });

  it('offer no activation of a card that is blocked, which would be refused', () => {
    for (const more of [{}, { isStatusLater: true as const }]) {
      for (const message of ['Card Status Inactive', 'New Card Pending Activation']) {
        const alert = declined('decline.card.status', message, { card: { ...card, status: 'BLOCKED', ...more } });

        expect(buttonIds(decline(alert, inChannel).blocks)).not.toContain(actionId.activateCard);
        expect(shown(decline(alert, inChannel).blocks)).toContain('`/card unblock 1212`');
      }
    }
  });

  it('offer no activation if the card turned out to be blocked', () => {
    const alert = declined('decline.card.status', 'Card Status Inactive', { remedy: { kind: 'unblock' } });
    const { text, blocks } = decline(alert, inChannel);

    expect(buttonIds(blocks)).toEqual(['approve_remedy', 'acknowledge_alert']);
    expect(shown(blocks)).toContain('`/card unblock 1212`');
    expect(text).toContain('the card is blocked. If the card should work again: `/card unblock 1212`');
    expect(blocks.map(({ type }) => type)).not.toContain('header');
    expect(shown(blocks)).toContain('Jane Doe · card 1212 is blocked: *declined*, $84.10 at Blue Bottle Coffee.');
  });

  it('count the attempts at a blocked card, which may all be of one purchase', () => {
    const at = '2026-11-20T14:14:00Z';
    const equal = { count: 12, firstAt: at, lastAt: at, minCents: 8410, maxCents: 8410 };
    const over = { remedy: { kind: 'unblock' }, repeats: { C1: equal } } as const;
    const { blocks } = decline(declined('decline.card.status', 'Card Status Blocked', over), inChannel);

    expect(shown(blocks)).toContain('is blocked: *declined 12 times*, $84.10, first at Blue Bottle Coffee.');
  });

  it.each([
    ['blocked', [outcome({})], '', '*Blocked* by <@U1> at <!date^1795184400^'],
    ['block pending', [outcome({ state: 'waiting' })], 'acknowledge_alert', '*Block pending* (asked by <@U1>)'],
    [
      'block failed',
      [outcome({ state: 'failed', text: 'The card service refused. Nothing changed.' })],
      'approve_remedy block_card acknowledge_alert',
      '*Block failed* (requested by <@U1>)',
    ],
    [
      'acknowledged',
      [outcome({ verb: 'acknowledge', by: 'U2' })],
      'approve_remedy block_card',
      '*Seen* by <@U2> at <!date^',
    ],
    ['raised', [outcome({ verb: 'limit' })], 'block_card', '*Limit changed* by <@U1>'],
    [
      'raised as much as the purchase needs',
      [outcome({ verb: 'limit', goals: [{ rule: dailyRaise.rule, to: dailyRaise.to }] })],
      'block_card',
      '*Limit changed* by <@U1>',
    ],
    [
      'raised by less than the purchase needs',
      [outcome({ verb: 'limit', goals: [{ rule: dailyRaise.rule, to: (dailyRaise.to ?? 0) - 1 }] })],
      'approve_remedy block_card',
      '*Limit changed* by <@U1>',
    ],
    [
      'only another limit raised',
      [outcome({ verb: 'limit', goals: [{ rule: { kind: 'limit', period: 'weekly', category: null }, to: 900_000 }] })],
      'approve_remedy block_card',
      '*Limit changed* by <@U1>',
    ],
    [
      'waiting for another approver',
      [outcome({ verb: 'limit', state: 'waiting' })],
      'block_card acknowledge_alert',
      '*Sent to approvers* (asked by <@U1>)',
    ],
    [
      'blocked and unblocked',
      [outcome({}), outcome({ verb: 'unblock' })],
      'approve_remedy block_card',
      '*Unblocked* by <@U1>',
    ],
    [
      'denied',
      [outcome({ verb: 'limit', state: 'failed', text: 'no', closed: { how: 'denied', by: 'U2' }, asHolder: true })],
      'approve_remedy block_card acknowledge_alert',
      '*Request denied* by <@U2> (asked by the holder <@U1>) at ',
    ],
    [
      'expired',
      [outcome({ verb: 'allow', state: 'failed', text: 'It expired', closed: { how: 'expired', by: null } })],
      'approve_remedy block_card acknowledge_alert',
      '*Request expired* (asked by <@U1>) at ',
    ],
    ['blocked outside Slack', [outcome({ by: null })], 'acknowledge_alert', '*Blocked* outside Slack at'],
  ])('appear and disappear: %s', (_what, outcomes, ids, line) => {
    const { blocks } = decline(declined(...velocity, { remedy: raise, outcomes }), inChannel);

    expect(buttonIds(blocks).join(' ')).toBe(ids);
    expect(shown(blocks)).toContain(line);
    expect(blocks.length).toBeLessThan(9);
  });
});

describe('a decline whose purchase was paid later', () => {
  const raised = outcome({ verb: 'limit', by: 'U2', at: '2026-11-20T14:18:00Z' });
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' });
  const restored = outcome({
    verb: 'restore',
    by: null,
    at: '2026-11-20T14:21:00Z',
    text: 'Daily limit $450.00 → $400.00',
    goals: [limitGoal('daily', 40_000)],
  });
  const resolved = (...outcomes: Outcome[]) =>
    shown(renderAlert(declined(...velocity, { outcomes }), inChannel).blocks);

  it.each([
    ['', '*Resolved.* Paid at', ' Paid.'],
    ['$80.00 of $84.10', '*Partly paid.* Paid $80.00 of $84.10 at', ' Paid $80.00 of $84.10.', true],
    ['$70.00', '*Probably resolved.* Paid $70.00 at', ' Paid $70.00.'],
  ] as const)('is as certain as the amount %j', (text, words, spoken, isPart?: true) => {
    const alert = declined(...velocity, { outcomes: [{ ...paid, text, isPart }] });

    expect(shown(renderAlert(alert, inChannel).blocks)).toContain(words);
    expect(decline(alert, inChannel).text).toContain(spoken);
  });

  it('and then reversed is open again', () => {
    const back = { ...paid, state: 'failed' } as const;
    const alert = declined(...velocity, { remedy: raise, outcomes: [back] });
    const { text, blocks } = renderAlert(alert, inChannel);

    expect(shown(blocks)).toContain('*Payment reversed* at');
    expect(shown(blocks)).not.toContain('esolved');
    expect(text).toContain(' Payment reversed.');
    expect(buttonIds(blocks)).toContain(actionId.approveRemedy);
  });

  it('shows who approved it, when it was paid, what went back, and how long it took', () => {
    expect(resolved(raised, paid, restored)).toMatch(
      /\*Resolved\.\* Approved by <@U2>, paid at .*, limit back to \$400\.00\. 7 minutes after the decline\./,
    );
  });

  it('does not repeat outcomes that this summary includes, except a change that stays', () => {
    expect(resolved(raised, paid, restored)).not.toMatch(/Limit changed|Put back/);
    expect(resolved(raised, paid)).toContain('*Limit changed* by <@U2>');
    const unsure = { ...restored, confirmation: 'unconfirmed' as const };
    expect(resolved(raised, paid, unsure)).toContain('*not confirmed*');
  });

  it('shows no advice anymore', () => {
    const { blocks } = decline(declined(...velocity, { remedy: raise, outcomes: [raised, paid] }), inChannel);

    expect(shown(blocks)).not.toMatch(/\*Cardholder:\*|\*Admin:\*/);
  });

  it('keeps the summary after the card was blocked and unblocked', () => {
    const later = [outcome({ verb: 'block', by: 'U3' }), outcome({ verb: 'unblock', by: 'U3' })];

    expect(resolved(raised, paid, restored, ...later)).toContain('*Resolved.* Approved by <@U2>, paid at ');
    expect(resolved(paid, ...later)).toContain('*Resolved.* Paid at ');
  });

  it('names the approver even if the retry was faster than the answer to the change', () => {
    const answered = { ...raised, at: new Date(Date.parse(paid.at) + 700).toISOString() };

    expect(resolved(paid, answered, restored)).toContain('*Resolved.* Approved by <@U2>, paid at ');
  });

  it('names the day if it is another one, and counts hours', () => {
    const nextDay = outcome({ verb: 'paid', by: null, at: '2026-11-21T12:50:00Z' });
    const sameDay = outcome({ verb: 'paid', by: null, at: '2026-11-21T01:10:00Z' });

    expect(resolved(nextDay)).toMatch(
      /Paid at <!date\^\d+\^\{time\} on \{date_short\}\|[^>]+>\. 23 hours after the decline\./,
    );
    // 8:10 PM at the card service.
    expect(resolved(sameDay)).toMatch(/Paid at <!date\^\d+\^\{time\}\|[^>]+>\. 11 hours after the decline\./);
    const atOnce = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:14:59Z' });
    expect(resolved(atOnce)).toContain('. Less than a minute after the decline.');
  });

  it('names no single amount if several limits went back', () => {
    const text = 'Daily limit $40.00 → $10.00; weekly limit $40.00 → $20.00';
    const all = { ...restored, text, goals: [limitGoal('daily', 1_000), limitGoal('weekly', 2_000)] };

    expect(resolved(raised, paid, all)).toContain(', temporary change over. 7 minutes after the decline.');
    expect(resolved(raised, paid, all)).toContain('weekly limit $40.00 → $20.00');
  });

  it('takes the restored limit from the change that let it through', () => {
    const before = outcome({ verb: 'restore', by: 'U3', goals: [limitGoal('daily', 30_000)] });

    expect(resolved(outcome({ verb: 'limit' }), before, raised, paid, restored)).toContain('limit back to $400.00');
  });
});

describe('advice', () => {
  const balance = { availableCents: 3410, decline: { code: 'decline.balance.card', message: '' } };
  const blockedThen = outcome({ by: 'U9', asHolder: true });
  const reported = outcome({ verb: 'report-fraud', by: 'U9', asHolder: true });
  const readings = (alert: TransactionAlert): Record<string, { text: string; ids: string[] }> => {
    const holder = (isLong: boolean) => renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? [];
    const whoMay = { approver: ['U2'], operator: ['U3'] };
    const explained = explainDecline([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 });
    const all = {
      team: renderAlert(alert, inChannel).blocks,
      'team, long': renderAlert(alert, { ...inChannel, isLong: true }).blocks,
      holder: holder(false),
      'holder, long': holder(true),
      explanation: explained.blocks as Parameters<typeof shown>[0],
    };
    return Object.fromEntries(
      Object.entries(all).map(([who, blocks]) => [who, { text: shown(blocks), ids: buttonIds(blocks) }]),
    );
  };
  const declines = {
    limit: declined(...velocity, { remedy: raise }),
    balance: transactionAlert(balance),
    PIN: declined('decline.card.pin', ''),
    'blocked card': declined(...velocity, { remedy: { kind: 'unblock' } }),
    'new card': declined('decline.card.status', 'New Card Pending Activation'),
  };
  const advice =
    /Raise the|sk for a higher|Add at least|unblock it|card unblock|Unblock card|Try again with|ask for money|if it was them|Activate the card|to activate it|Ask an (?:approver why|operator)|Approvers can|Operators can|What you can do|What would fix/;

  it.each(Object.entries(declines))('ends with the purchase that the holder did not make: %s', (_reason, alert) => {
    for (const outcomes of [[reported, blockedThen], [reported]])
      for (const [who, { text, ids }] of Object.entries(readings({ ...alert, outcomes }))) {
        expect(text, who).toMatch(/reported this purchase as fraud|Reported as fraud/);
        expect(text, who).not.toMatch(advice);
        expect(ids, who).not.toContain('approve_remedy');
        expect(ids, who).not.toContain('activate_card');
        expect(ids, who).not.toContain('request_increase');
      }
  });

  it.each(Object.entries(declines))('ends when a retry was paid: %s', (_reason, alert) => {
    const outcomes = [outcome({ verb: 'paid', by: null })];
    for (const [who, { text }] of Object.entries(readings({ ...alert, outcomes }))) {
      expect(text, who).toMatch(/\*Paid\*|Paid at|paid at/);
      expect(text, who).not.toMatch(advice);
    }
  });

  it.each<[string, TransactionAlert, Outcome]>([
    ['raised', declines.limit, outcome({ verb: 'limit', goals: [{ rule: dailyRaise.rule, to: dailyRaise.to }] })],
    ['allowed', declined('decline.rule.location', ''), outcome({ verb: 'allow' })],
    ['activated', declines['new card'], outcome({ verb: 'activate' })],
  ])('is to try again once it was followed: %s', (_what, alert, done) => {
    const { holder, 'team, long': team, explanation } = readings({ ...alert, outcomes: [done] });

    expect(holder?.text).not.toMatch(/[Aa]sk for|[Aa]sk an (?:approver why|operator)/);
    expect(holder?.text).toContain('You can try again now.');
    for (const read of [team, explanation]) {
      expect(read?.text).toContain('Admin:');
      expect(read?.text).toContain('Have the purchase tried again.');
      expect(read?.text).not.toMatch(/Raise the|Allow purchases|Activate the card|Approvers can|Operators can/);
    }
  });

  it.each<[string, Outcome]>([
    ['waits for an approver', outcome({ verb: 'limit', state: 'waiting' })],
    ['failed', outcome({ verb: 'limit', state: 'failed' })],
    ['was too little', outcome({ verb: 'limit', goals: [{ rule: dailyRaise.rule, to: 40_001 }] })],
  ])('stays while a raise %s', (_what, tried) => {
    expect(readings({ ...declines.limit, outcomes: [tried] })['team, long']?.text).toContain('Raise the daily limit');
  });

  it('comes back if the holder made the purchase after all', () => {
    const recognized = outcome({ verb: 'recognize', by: 'U9', asHolder: true });
    const { team } = readings({ ...declines.balance, outcomes: [reported, recognized] });

    expect(renderAlert({ ...declines.balance, outcomes: [recognized] }, inChannel).text).toContain(
      'Purchase confirmed by the holder <@U9>.',
    );
    expect(team?.text).toContain('Add at least $50.00');
  });

  it('does not ask a holder who has answered', () => {
    const recognized = outcome({ verb: 'recognize', by: 'U9', asHolder: true });
    for (const [who, { text }] of Object.entries(readings({ ...declines.PIN, outcomes: [recognized] })))
      expect(text, who).not.toMatch(/if it was them|If it wasn’t you/);
  });

  it('for a wrong PIN does not ask to block a card that is blocked, or to unblock it for another try', () => {
    const all = readings({ ...declines.PIN, outcomes: [outcome({ by: 'U1' })] });

    for (const [who, { text }] of Object.entries(all))
      expect(text, who).not.toMatch(/\bblock the card|Try again with|unblock it first/);
    expect(all['team, long']?.text).toContain('*Admin:* If the card should work again: `/card unblock 1212`');
  });

  it('for a card that its holder reported is a new one, not to unblock it', () => {
    const alert = declined('decline.card.status', '', { remedy: { kind: 'unblock', hasFraudCase: true } });
    const all = readings(alert);

    for (const [who, { text, ids }] of Object.entries(all)) {
      expect(text, who).not.toMatch(
        /unblock it|card unblock|Unblock card|should work again|can unblock|Ask an approver why/,
      );
      expect(text, who).toMatch(/reported a purchase as fraud|Ask for a new card/);
      expect(ids, who).not.toContain('approve_remedy');
    }
    expect(all['team']?.text).toContain(
      '*Card is blocked.* The cardholder reported a purchase as fraud: order a new card.',
    );
  });

  it('to unblock a card ends when it is unblocked', () => {
    const outcomes = [outcome({ verb: 'unblock', by: 'U1' })];
    const { team, 'team, long': long, holder } = readings({ ...declines['blocked card'], outcomes });

    for (const read of [team, long]) {
      expect(read?.text).not.toMatch(/\/card unblock|is blocked|Nothing to do/);
      expect(read?.text).toContain('Have the purchase tried again.');
    }
    expect(holder?.text).not.toContain('Ask');
  });

  it('is to try again if nothing stopped the purchase any more when its alert was made', () => {
    for (const code of ['decline.rule.velocity', 'decline.rule.location']) {
      const all = readings(declined(code, '', { remedy: { kind: 'retry' } }));
      for (const [who, { text, ids }] of Object.entries(all)) {
        expect(text, who).toMatch(/No limit or rule stops it any more\./);
        expect(text, who).toMatch(/[Tt]r(?:y|ied) again\./);
        expect(text, who).not.toMatch(/Raise the|higher limit|what is left|outside the United States/);
        // Something may stop it again, and the form looks.
        expect(
          ids.some((id) => id === 'approve_remedy' || id === 'request_increase'),
          who,
        ).toBe(ids.length > 0);
      }
    }
  });

  it.each([
    ['ruleset', /own rules allow this, but its ruleset may not\./, /Check the ruleset in the card program’s/],
    ['balance', /the card’s balance did not cover it\./, /Add money to the card in the card program’s portal/],
  ] as const)('is about the %s if no rule of the card stopped it any more', (why, what, fix) => {
    const facts = { ...card, ruleset: { id: 7, name: 'Field crew', mayOverrule: true } };
    for (const code of ['decline.rule.velocity', 'decline.rule.location', 'decline.rule.mcc']) {
      const all = readings(declined(code, '', { card: facts, remedy: { kind: 'portal', why } }));
      for (const [who, { text, ids }] of Object.entries(all)) {
        // The card's own rules allow the category, so the ruleset forbids it.
        const isCategory = why === 'ruleset' && code === 'decline.rule.mcc';
        const forbids = /“Field crew” does not allow this merchant category\./;
        if (isCategory && !who.startsWith('holder')) expect(text, who).toMatch(forbids);
        else expect(text, who).toMatch(isCategory ? /“Field crew” does not allow|own rules allow this/ : what);
        expect(text, who).toMatch(who.startsWith('holder') ? /Ask (?:whoever administers|for money)/ : fix);
        expect(text, who).not.toMatch(/Raise the|higher limit|to be allowed|once or temporarily/);
        expect(ids, who).not.toContain('request_increase');
      }
      expect(all['explanation']?.text).toContain('Nobody can change this in Slack.');
    }
    // Something may stop it again, and the form looks.
    expect(readings(declined(...velocity, { remedy: { kind: 'portal', why } }))['team']?.ids).toContain(
      'approve_remedy',
    );
  });

  it('is the portal for a category that the card service knows by a number that is not known here', () => {
    const remedy = { kind: 'allow_category', category: { id: null, name: 'Hardware Stores' } } as const;
    const message = 'Unauthorized merchant category: (Hardware Stores)';
    const all = readings(declined('decline.rule.mcc', message, { remedy }));
    for (const [who, { text, ids }] of Object.entries(all)) {
      expect(text, who).toContain('exclude Hardware Stores.');
      expect(text, who).toContain(
        who.startsWith('holder')
          ? 'Pay another way, or ask whoever administers the card program.'
          : 'Allow this merchant category in the card program’s portal if the purchase is legitimate.',
      );
      expect(text, who).not.toMatch(/once or temporarily|can be allowed|Approvers can/);
      expect(ids, who).not.toContain('approve_remedy');
      expect(ids, who).not.toContain('request_increase');
    }
    expect(all['explanation']?.text).toContain('Nobody can change this in Slack.');
    const numbered = { ...remedy, category: { ...remedy.category, id: 13 } };
    expect(readings(declined('decline.rule.mcc', message, { remedy: numbered }))['team']?.ids).toContain(
      'approve_remedy',
    );
  });

  describe('for a card that was blocked or closed elsewhere', () => {
    const since = (status: 'BLOCKED' | 'CLOSED', outcomes: Outcome[] = []) =>
      readings(declined(...velocity, { remedy: raise, outcomes, card: { ...card, status, isStatusLater: true } }));

    it('says that the block comes first, until it is lifted', () => {
      const { team, 'team, long': long, holder, 'holder, long': holderLong } = since('BLOCKED');
      const unblocked = since('BLOCKED', [outcome({ verb: 'unblock' })]);

      for (const read of [team, long]) {
        expect(read?.text).toContain('Raise the daily limit to at least');
        expect(read?.text).toContain('Blocked since. To use the card again: `/card unblock 1212`');
      }
      for (const read of [holder, holderLong]) expect(read?.text).toContain('Ask an approver why the card is blocked.');
      for (const { text } of Object.values(unblocked))
        expect(text).not.toMatch(/Blocked since|why the card is blocked/);
    });

    it('does not say that it was blocked since if it may have been blocked before', () => {
      const { team, 'team, long': long } = readings(
        declined(...velocity, { remedy: raise, card: { ...card, status: 'BLOCKED' } }),
      );

      for (const read of [team, long]) {
        expect(read?.text).toContain('The card is blocked. To use it again: `/card unblock 1212`');
        expect(read?.text).not.toContain('Blocked since');
      }
    });

    it('is to use another card once it is closed for good', () => {
      for (const [who, { text, ids }] of Object.entries(since('CLOSED'))) {
        expect(text, who).toMatch(
          who === 'team' || who === 'team, long'
            ? /The card is closed\. Order a new card if one is needed/
            : /The card is closed\. Use another card, or ask for a new one\./,
        );
        expect(text, who).not.toMatch(/Raise the|higher limit|Approvers can|Blocked since/);
        expect(ids, who).not.toContain('approve_remedy');
      }
    });

    it('says that the card was not active if that declined the purchase and it is closed for good now', () => {
      const closedSince = { ...card, status: 'CLOSED', isStatusLater: true } as const;
      const all = readings(declined('decline.card.status', 'New Card Pending Activation', { card: closedSince }));
      for (const [who, { text, ids }] of Object.entries(all)) {
        expect(text, who).toMatch(/[Cc]ard was not active/);
        expect(text, who).toMatch(/The card is closed\. (?:Order a new|Use another) card/);
        expect(text, who).not.toMatch(/[Aa]ctivate (?:the|it)|until somebody activates/);
        expect(ids, who).not.toEqual(expect.arrayContaining([expect.stringMatching(/activate|remedy|block/)]));
      }
    });

    it('says that the card was blocked if a block declined the purchase and it is closed for good now', () => {
      const closedSince = { ...card, status: 'CLOSED', isStatusLater: true } as const;
      for (const code of ['decline.card.status', 'decline']) {
        const all = readings(declined(code, '', { remedy: { kind: 'unblock' }, card: closedSince }));
        for (const [who, { text, ids }] of Object.entries(all)) {
          expect(text, who).toMatch(/[Cc]ard (?:1212 )?was blocked/);
          expect(text, who).toMatch(/The card is closed\. (?:Order a new|Use another) card/);
          expect(text, who).not.toMatch(/is blocked|Every purchase|works again|[Uu]nblock|Nothing to do/);
          expect(ids, who).not.toEqual(expect.arrayContaining([expect.stringMatching(/remedy|block|fraud/)]));
        }
      }
    });
  });

  it('to the holder of a blocked card is about the block, whatever else would decline the purchase', () => {
    expect(readings(declines['blocked card'])['holder']?.text).toContain('Ask an approver why the card is blocked.');
  });
});

describe('the ruleset of a card', () => {
  const of = (code: string, mayOverrule: boolean) => {
    const facts = { ...card, ruleset: { id: 7, name: 'Field crew', mayOverrule } };
    return [true, false].map((isLong) =>
      shown(renderAlert(declined(code, '', { card: facts }), { place: 'private', isLong }).blocks),
    );
  };

  it.each([true, false])('is named once, also if it may overrule the card: %s', (mayOverrule) => {
    for (const text of of('decline.rule.mcc', mayOverrule)) {
      expect(text.match(/Field crew/g)).toHaveLength(1);
      expect(text.includes('It may overrule the card’s own rules.')).toBe(mayOverrule);
    }
    for (const text of of('decline.rule.location', mayOverrule)) {
      expect(text).toMatch(mayOverrule ? /“Field crew”, which may overrule/ : /The card follows .*“Field crew”\./);
    }
  });
});

describe('what others may read', () => {
  const pin = declined('decline.card.pin', 'PIN Verification Check');

  it.each(['public', 'private'] as const)('omits the PIN in a %s channel', (place) => {
    const message = JSON.stringify(decline(pin, { place }));

    expect(message).toContain('could not be verified at the terminal');
    expect(message).toContain('The reason is not shown in channels.');
    expect(message).not.toMatch(/pin\b/i);
  });

  it('shows the PIN in a direct message', () => {
    const { text, blocks } = decline(pin, { place: 'direct' });

    expect(text).toContain('wrong PIN');
    expect(shown(blocks)).toContain('*Wrong PIN*');
  });

  it.each([
    ['public', false],
    ['private', true],
    ['direct', true],
  ] satisfies [ChannelVisibility, boolean][])('in a %s channel: money on the card %s', (place, isShown) => {
    const alert = transactionAlert({
      availableCents: 1200,
      decline: { code: 'decline.balance.card', message: 'Transaction exceeded current card balance' },
    });
    const text = shown(decline(alert, { place }).blocks);

    expect(text.includes('Card balance $12.00: this purchase needed *$72.10 more*.')).toBe(isShown);
    expect(text.includes('$12.00')).toBe(isShown);
    expect(text.includes('Add at least $72.10 to the card')).toBe(isShown);
    expect(text.includes('72.10')).toBe(isShown);
  });
});
