import { rushPurchases } from './rush.ts';
import { at, buy, follow, type Scene, settle } from './scene.ts';

/** How many declines the storm causes within its minutes. */
const STORM_DROPS = 30;
/** How many purchases are declined at once at noon, each at a different shop. Cards take turns. */
export const STORY_RUSH = 12;

/**
 * A day of the program, in order. Declines of different cards are at different merchants: several at one merchant
 * within minutes would rightly be reported as card testing.
 */
export const DAY: readonly Scene[] = [
  at('07:30', ({ simulation, memory }) => {
    const { CardOrderId, AcctId } = simulation.createOrder({
      FirstName: 'Rosa',
      LastName: 'Keller',
      CustomId: 'EMP-1201',
      GroupId: 1,
    });
    memory.set('order', CardOrderId).set('newcomer', AcctId);
    return 'A card is ordered for Rosa Keller, who starts today.';
  }),
  at('07:45', (on) =>
    buy(on, 'coffee', on.cast.plain[0], { Amount: 6.4, MerchantName: 'HARBOR COFFEE', MCCCode: '5814' }),
  ),
  at('08:05', (on) =>
    buy(on, 'fuel', on.cast.plain[1], { Amount: 48.9, MerchantName: 'ROUTE 9 FUEL', MCCCode: '5542', Pin: 'correct' }),
  ),
  at('08:20', (on) =>
    buy(on, 'pin', on.cast.plain[2], { Amount: 35, MerchantName: 'ROUTE 9 FUEL', MCCCode: '5542', Pin: 'wrong' }),
  ),
  at('08:40', (on) =>
    buy(on, 'rule.mcc', on.cast.fewCategories, { Amount: 27.5, MerchantName: 'CITY THEATRE', MCCCode: '7922' }),
  ),
  at('09:00', ({ simulation, memory }) => {
    const order = memory.get('order');
    if (order === undefined) return undefined;
    const { TrackingNumber } = simulation.ship({ CardOrderId: order });
    return `Rosa's card is in the post, tracking number ${TrackingNumber}.`;
  }),
  at('09:15', (on) =>
    buy(on, 'flight', on.cast.plain[3], {
      Amount: 312.2,
      MerchantName: 'MERIDIAN AIR',
      MCCCode: '3211',
      IsCardPresent: false,
    }),
  ),
  at('09:30', (on) =>
    buy(on, 'location', on.cast.plain[4], {
      Amount: 79.9,
      MerchantName: 'LIBRAIRIE DU PORT',
      MCCCode: '5942',
      MerchantCountry: 'FR',
    }),
  ),
  at('09:50', (on) =>
    buy(on, 'cardnotpresent', on.cast.noOnline, {
      Amount: 54.99,
      MerchantName: 'PAPER AND PENS ONLINE',
      MCCCode: '5943',
      IsCardPresent: false,
    }),
  ),
  at('10:10', (on) =>
    buy(on, 'card.status', on.cast.inactive, { Amount: 18.2, MerchantName: 'WILLOW CAFE', MCCCode: '5812' }),
  ),
  at('10:30', ({ simulation }) => {
    simulation.createOrder({
      FirstName: 'Design',
      LastName: 'Software',
      CustomId: 'V-DESIGN',
      VirtualCard: true,
      FundCardAmount: 400,
    });
    return 'A virtual card for the design software is ordered and funded.';
  }),
  at('11:00', ({ simulation }) => {
    simulation.failNextVirtualCard(['Ruleset', 'Funding']);
    simulation.createOrder({ FirstName: 'Trade', LastName: 'Fair', VirtualCard: true, FundCardAmount: 900 });
    return 'A virtual card for the trade fair comes without ruleset and money.';
  }),
  at('11:30', (on) => settle(on, 'coffee', 'The coffee of the morning settles.')),
  at('12:05', (on) =>
    buy(on, 'lunch', on.cast.plain[0], { Amount: 23.8, MerchantName: 'SORREL KITCHEN', MCCCode: '5812' }),
  ),
  at('12:15', (on) =>
    buy(on, 'velocity.mcc', on.cast.categoryLimit, { Amount: 145, MerchantName: 'LANTERN BISTRO', MCCCode: '5812' }),
  ),
  at('12:30', (on) =>
    buy(on, 'velocity', on.cast.dailyLimit, { Amount: 184.1, MerchantName: 'IRON SKILLET GRILL', MCCCode: '5812' }),
  ),
  at('12:45', ({ simulation, cast }) => {
    const purchases = rushPurchases(cast.plain, STORY_RUSH);
    for (const purchase of purchases) simulation.purchase(purchase);
    const cards = new Set(purchases.map(({ AcctId }) => AcctId)).size;
    return `Lunchtime: ${purchases.length} purchases on ${cards} cards are declined within a second, for several reasons.`;
  }),
  at('13:00', (on) =>
    buy(on, 'balance.card', on.cast.plain[1], { Amount: 9450, MerchantName: 'LAKESIDE HOTEL', MCCCode: '7011' }),
  ),
  at('13:20', (on) =>
    buy(on, 'balance.business', on.cast.businessBalance, {
      Amount: 90_000,
      MerchantName: 'OAK HARDWARE',
      MCCCode: '5251',
    }),
  ),
  at('13:40', (on) =>
    buy(on, 'remote', on.cast.remote, {
      Amount: 66,
      MerchantName: 'CITY CABS',
      MCCCode: '4121',
      RemoteDecision: 'decline',
    }),
  ),
  at('14:00', (on) => buy(on, 'mcc', on.cast.plain[5], { Amount: 100, MerchantName: 'LUCKY SEVEN', MCCCode: '7995' })),
  at('14:15', (on) =>
    buy(on, 'decline', on.cast.plain[6], {
      Amount: 21.5,
      MerchantName: 'TWO RIVERS TAPROOM',
      MCCCode: '5812',
      DoNotHonor: true,
    }),
  ),
  at('14:30', ({ simulation, memory }) =>
    follow(
      memory,
      'flight',
      (id) => simulation.reverse({ NetworkTransactionId: id }),
      'The flight is cancelled and its hold released.',
    ),
  ),
  at('15:00', ({ simulation, memory }) => {
    const AcctId = memory.get('newcomer');
    if (AcctId === undefined) return undefined;
    simulation.activateLater({ AcctId, Seconds: 0 });
    return 'Rosa has her card and activates it by telephone, unless somebody was faster.';
  }),
  at('15:20', (on) => settle(on, 'lunch', 'Lunch settles.')),
  at('15:40', ({ simulation, memory }) =>
    follow(
      memory,
      'lunch',
      (id) => simulation.refund({ NetworkTransactionId: id, Amount: 8 }),
      'The restaurant gives eight dollars back.',
    ),
  ),
  at('16:00', ({ simulation }) => {
    simulation.outage(true);
    return 'The service has an outage: webhooks wait.';
  }),
  at('16:02', (on) =>
    buy(on, 'outage', on.cast.plain[7], { Amount: 31.2, MerchantName: 'HARBOR COFFEE', MCCCode: '5814' }),
  ),
  at(
    '16:10',
    ({ simulation }) => `The service is back. Webhooks that waited, and are sent now: ${simulation.outage(false)}.`,
  ),
  at('16:40', ({ simulation, cast }) => {
    if (cast.dailyLimit === undefined) return undefined;
    for (let drop = 0; drop < STORM_DROPS; drop += 1) {
      const Amount = 400 + drop;
      simulation.purchase({
        AcctId: cast.dailyLimit,
        Amount,
        MerchantName: 'AUTO RENEWALS',
        MCCCode: '5968',
        IsCardPresent: false,
      });
    }
    return `A storm: one merchant tries the same card ${STORM_DROPS} times.`;
  }),
  at('17:30', ({ simulation, cast }) => {
    const AcctId = cast.plain[8];
    if (AcctId === undefined) return undefined;
    simulation.setStatus({ AcctId, CardStatus: 'BLOCKED' });
    return 'A lost card is blocked in the admin portal.';
  }),
];
