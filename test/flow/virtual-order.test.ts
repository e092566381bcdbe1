import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import { allValues } from '../support/all-values.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';
import { filledOrder } from '../support/virtual-order-form.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, olga } = people;

const top = (user: string) => cardbell().workspace.views.top(user);
const orders = () =>
  cardbell()
    .writes()
    .filter(({ path }) => path === '/VirtualCard/Order');

const openForm = async (user: string, name: string): Promise<string> =>
  (await openedForm(cardbell(), user, () => cardbell().command(user, `virtual order ${name}`))).id;

const submit = (user: string, viewId: string, values: Record<string, unknown> = {}) =>
  cardbell().workspace.submitView({ user, viewId, values: { ...filledOrder, ...values } });

/** Direct messages from the bot to a person. */
async function direct(user: string, pattern: RegExp): Promise<string> {
  const found = await cardbell().workspace.waitForMessage(
    (message) =>
      message.channel === `D${user.slice(1)}` && message.ephemeralUser === undefined && pattern.test(message.text),
    60_000,
  );
  return JSON.stringify(found);
}

describe('/card virtual order', () => {
  it('orders once and reports the result to the channel and the requester, without the card number', async () => {
    const viewId = await openForm(ana, 'Vera Nova');
    const suggested = top(ana)?.blocks.flatMap((block) => Object.values(block['element'] ?? {}));
    // A preset date of birth would be sent as if someone had entered it.
    expect(JSON.stringify(suggested)).not.toMatch(/\d{4}-\d{2}-\d{2}/);

    const wrong = await submit(ana, viewId, {
      amount: 'lots',
      state: 'T1',
      phone: 'none',
      date_of_birth: '30/02/1991',
      group: '0',
    });
    const right = { group: '' };
    await Promise.all([submit(ana, viewId, right), submit(ana, viewId, right).catch(() => {})]);
    await cardbell().waitTold(ana, /^Ordered: a virtual card for Vera Nova/);
    const told = await direct(ana, /You asked for this: Virtual card created: Vera Nova/);
    const alert = await cardbell().waitFor(channels.virtual, /Vera Nova/);
    await until(
      () => JSON.stringify(cardbell().now(alert).blocks).includes(`ordered by <@${ana}>`),
      'the alert says who ordered it',
    );

    expect(wrong.errors).toMatchObject({
      amount: expect.stringContaining('Write dollars'),
      state: expect.stringContaining('Two letters'),
      phone: expect.stringContaining('phone number'),
      date_of_birth: expect.stringContaining('04/30/1991'),
      group: expect.stringContaining('leave it empty'),
    });
    expect(orders()).toHaveLength(1);
    expect(orders()[0]?.body).toMatchObject({
      VirtualCards: [{ FirstName: 'Vera', DateOfBirth: '04-30-1991', FundCardAmount: 25 }],
    });
    const account = cardbell()
      .sandbox.accounts()
      .find(({ LastName }) => LastName === 'Nova');
    expect(account?.IsVirtual).toBe(true);
    const status = await cardbell().waitFor(channels.status, /Vera Nova/);
    const ofStatus = () =>
      cardbell()
        .workspace.messages(channels.status)
        .filter(({ text }) => text.includes('Vera Nova'));
    expect(status.text).toMatch(/new virtual card|active/i);
    expect(JSON.stringify(ofStatus())).not.toMatch(/not activated yet|outside Slack|activate_card/);
    expect(told).not.toMatch(/\d{13,}/);
    const everything = await allValues(cardbell().store);
    for (const secret of ['1991-04-30', '1 Main Street', '512-555-0142']) expect(everything).not.toContain(secret);
    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => JSON.parse(line).record).filter(({ verb }) => verb === 'order-virtual');
    expect(records.map(({ event }) => event)).toEqual(['asked', 'sent', 'done', 'confirmed']);
    expect(records.at(-1)).toMatchObject({ confirmedBy: 'webhook', reason: 'ads budget' });
  });

  it('never orders again when the response is lost: the requester learns this, and later the result', async () => {
    const { sandbox } = cardbell();
    const before = orders().length;
    sandbox.faults.add({ method: 'POST', path: /\/VirtualCard\/Order/, kind: 'hang_up_after_effect' });
    const viewId = await openForm(ana, 'Lara Lost');

    await submit(ana, viewId);
    const answer = await cardbell().waitTold(ana, /^Not sure: tried to order a virtual card for Lara Lost/);
    await direct(ana, /You asked for this: Virtual card created: Lara Lost/);
    await quiet(cardbell());

    expect(answer.text).toContain('I won’t order it again');
    expect(orders().length - before).toBe(1);
  });

  it('says that no result arrived, once, and the result if it comes after all', async () => {
    const { sandbox, store, workspace } = cardbell();
    sandbox.outage(true);
    await submit(ana, await openForm(ana, 'Nora Noresult'));
    await cardbell().waitTold(ana, /^Ordered: a virtual card for Nora Noresult/);
    await quiet(cardbell());
    const key = stateKey('virtual-awaited');
    for (const order of await store.zrange(key, '0', '-1')) await store.zincrby(key, -91 * 60_000, order);
    const maintenance = new Queue('maintenance', { connection: store, prefix: QUEUE_PREFIX });
    for (const _run of [1, 2]) await maintenance.add('report-overdue-orders', {}, { removeOnComplete: true });

    const overdue = await direct(ana, /^No result yet: a virtual card for Nora Noresult/);
    await until(async () => (await store.zcard(key)) === 0, 'nothing is awaited any more');
    await quiet(cardbell());
    sandbox.outage(false);
    await direct(ana, /You asked for this: Virtual card created: Nora Noresult/);
    await maintenance.close();

    expect(overdue).toMatch(/Ask the card service about order \d+ before you order again/);
    const ofNora = workspace.messages(`D${ana.slice(1)}`).filter(({ text }) => text.includes('Nora Noresult'));
    expect(ofNora.filter(({ text }) => text.startsWith('No result'))).toHaveLength(1);
    const lines = await store.lrange('{cardbell:audit}:chain', 0, -1);
    const events = lines.map((line) => JSON.parse(line).record.event);
    expect(events.filter((event) => event === 'unconfirmed')).toHaveLength(1);
    expect(events.indexOf('unconfirmed')).toBeLessThan(events.lastIndexOf('confirmed'));
  });

  it('needs another approver above what one may order, even in parts', async () => {
    const before = orders().length;
    const order = async (name: string, told: RegExp): Promise<string> => {
      await submit(ben, await openForm(ben, name), { amount: '600' });
      return (await cardbell().waitTold(ben, told)).text;
    };

    await order('Otis One', /^Ordered: a virtual card for Otis One/);
    const waits = await order('Tess Two', /^Not ordered yet: a virtual card for Tess Two/);

    expect(waits).toContain('it needs another approver');
    expect(orders().length - before).toBe(1);
    const request = await cardbell().waitFor(
      channels.approvals,
      /order a virtual card for Tess Two, funded with \$600/,
    );
    await cardbell().press(ana, request, 'decide_request_approve');
    await cardbell().waitTold(ben, /^Ordered: a virtual card for Tess Two/);
    expect(orders().length - before).toBe(2);
    await until(() => cardbell().now(request).text.startsWith('Approved'), 'the request says so');
  });

  it('is for approvers', async () => {
    await cardbell().command(olga, 'virtual order Jon Doe');
    await cardbell().waitTold(olga, /Only approvers may order virtual cards/);

    expect(top(olga)).toBeUndefined();
  });
});

it('keeps the form of no order once each has been made', async () => {
  await quiet(cardbell());
  const sealed = /\\*"sealed\\*":\\*"[^"\\]/;

  expect('{"order":"{\\"sealed\\":\\"x\\"}"}', 'the search').toMatch(sealed);
  expect(await allValues(cardbell().store)).not.toMatch(sealed);
});

describe('/card virtual resend', () => {
  it('requests the details once and says when they were sent', async () => {
    const card = cardbell()
      .sandbox.accounts()
      .find(({ IsVirtual, LastName }) => IsVirtual && LastName === 'Nova');

    await cardbell().command(olga, `virtual resend ${card?.AcctId ?? ''}`);
    await cardbell().waitTold(olga, /^Asked for the details of Vera Nova/);
    await direct(olga, /You asked for this: Virtual card details sent again: Vera Nova/);

    const asked = cardbell()
      .writes()
      .filter(({ path }) => path === '/VirtualCard/Data');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toEqual({ AcctId: card?.AcctId });
  });

  it('is refused for a plastic card before any API call', async () => {
    const card = cardbell().take('ACTIVE');
    const before = cardbell().writes().length;

    await cardbell().command(olga, `virtual resend ${card.AcctId}`);
    await cardbell().waitTold(olga, /not virtual/);

    expect(cardbell().writes()).toHaveLength(before);
  });
});
