import { describe, expect, it } from 'vitest';
import { openedForm } from '../support/opened-form.ts';
import { channels, groups, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, gus, ana, otto } = people;

const top = (user: string) => cardbell().workspace.views.top(user);
const shown = (user: string): string => JSON.stringify(top(user)?.blocks ?? []);

const open = async (user: string): Promise<string> =>
  (await openedForm(cardbell(), user, () => cardbell().command(user, ''))).id;

const find = async (user: string, viewId: string, value: string) =>
  (await cardbell().workspace.suggest({ user, viewId, actionId: 'pick_card', value })) as {
    text: { text: string };
    value: string;
  }[];

/** Types the last four digits and chooses the match. */
async function pick(user: string, viewId: string, last4: string): Promise<void> {
  const [option] = await find(user, viewId, last4);
  const before = shown(user);
  await cardbell().workspace.select({ user, viewId, actionId: 'pick_card', value: option?.value });
  await until(() => shown(user) !== before, 'the card is shown');
}

describe('/card alone', () => {
  it('finds a card while its holder’s name is typed, shows it, and offers what the person may do', async () => {
    const card = cardbell().take('ACTIVE');
    const viewId = await open(olga);

    const byName = await find(olga, viewId, card.LastName.slice(0, 4));
    await pick(olga, viewId, last4Of(card));

    expect(byName.map(({ text }) => text.text)).toContain(`${holderOf(card)} · card ${last4Of(card)} · active`);
    expect(JSON.stringify(byName.map(({ value }) => value))).not.toContain(String(card.AcctId));
    expect(shown(olga)).toContain(holderOf(card));
    expect(shown(olga)).toContain('picked_block');
    // Operators may neither change limits nor unblock cards.
    expect(shown(olga)).not.toMatch(/picked_limit|picked_unblock|picked_activate/);

    await cardbell().workspace.press({ user: olga, viewId, actionId: 'picked_block' });
    const answer = await cardbell().waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
    await until(() => shown(olga).includes(`<#${channels.alerts}>`), 'the form says where the answer is');

    expect(answer.channel).toBe(channels.alerts);
    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('BLOCKED');
  });

  it('shows the limits on top of the form, which is unchanged when they are closed', async () => {
    const card = cardbell().take('ACTIVE');
    const viewId = await open(olga);
    await pick(olga, viewId, last4Of(card));
    const picker = shown(olga);

    await cardbell().workspace.press({ user: olga, viewId, actionId: 'picked_show' });
    await until(() => shown(olga).includes('*Recent declines*'), 'the limits are shown on top');

    expect(top(olga)?.id).not.toBe(viewId);
    await cardbell().workspace.closeView({ user: olga, viewId: top(olga)?.id ?? '' });
    expect(top(olga)?.id).toBe(viewId);
    expect(shown(olga)).toBe(picker);
  });

  it('acts once when pressed twice', async () => {
    const card = cardbell().take('INACTIVE');
    const viewId = await open(gus);
    await pick(gus, viewId, last4Of(card));
    const before = cardbell().writes().length;

    const press = () => cardbell().workspace.press({ user: gus, viewId, actionId: 'picked_activate' });
    await Promise.all([press(), press()]);
    await cardbell().waitTold(gus, new RegExp(`^Activated: ${holderOf(card)}`));
    await quiet(cardbell());

    expect(cardbell().writes().length - before).toBe(1);
  });

  it('lets an approver change a limit in a form that shows errors beside the input', async () => {
    const card = cardbell().take('ACTIVE');
    const viewId = await open(ana);
    await pick(ana, viewId, last4Of(card));
    await cardbell().workspace.press({ user: ana, viewId, actionId: 'picked_limit' });
    await until(() => top(ana)?.callback_id === 'limit_card', 'the form is on top');
    const submit = (values: Record<string, unknown>) =>
      cardbell().workspace.submitView({ user: ana, viewId: top(ana)?.id ?? '', values });

    const amount = await submit({ amount: 'lots', duration: '4h', reason: 'trip' });
    const duration = await submit({ amount: '300', duration: 'a while', reason: 'trip' });
    // Typed after the duration in a command, the reason would be 3 hours more.
    await submit({ amount: '300', duration: '4h', reason: '3 hours of team trip' });
    const answer = await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));

    expect(amount.errors).toMatchObject({ amount: expect.stringContaining('dollars') });
    expect(duration.errors).toMatchObject({ duration: expect.stringContaining('how long') });
    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(300);
    expect(JSON.stringify(answer.blocks)).toMatch(/Goes back to .*automatically.*Reason: 3 hours of team trip/);
    expect(top(ana)).toBeUndefined();
  });
});

describe('cardholder names', () => {
  it('are hidden from people who may not see cards: they get the list of verbs instead of the form', async () => {
    await cardbell().command(otto, '');
    await cardbell().waitTold(otto, /What you can ask Cardbell/);

    expect(top(otto)).toBeUndefined();
  });

  it('are hidden from a person who loses the role while the form is open, who also changes nothing', async () => {
    const { workspace } = cardbell();
    const card = cardbell().take('ACTIVE');
    await workspace.setUserGroup(groups.operators, [people.gus, otto]);
    const viewId = await open(otto);
    const [option] = await find(otto, viewId, last4Of(card));
    await pick(otto, viewId, last4Of(card));
    const control = /"picked_block","value":"([^"]+)"/.exec(shown(otto))?.[1];
    const before = cardbell().writes().length;

    await workspace.setUserGroup(groups.operators, [people.gus]);
    await workspace.press({ user: otto, viewId, actionId: 'picked_block' });
    await cardbell().waitTold(otto, /Only operators and approvers may block cards/);

    expect(control).toBeDefined();
    expect(await find(otto, viewId, last4Of(card))).toEqual([]);
    // Slack would not offer it any more, but a forged choice must be refused too.
    const forged = { type: 'external_select', selected_option: option };
    await workspace.select({ user: otto, viewId, actionId: 'pick_card', value: forged });
    await until(() => shown(otto).includes('Only operators and approvers may see cards'), 'the form says why not');
    expect(shown(otto)).not.toContain(holderOf(card));
    expect(cardbell().writes()).toHaveLength(before);
  });
});
