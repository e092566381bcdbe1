import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openedForm } from '../support/opened-form.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const { ana, olga, otto, hana } = people;
const day = (inDays: number): string => new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10);
const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.yaml');
writeFileSync(file, `version: 1\nown_delegates: [${hana}]\n`);

const cardbell = useCardbell({ ...inOneProcess, env: { POLICY_FILE: file } });

async function run(user: string, values: Record<string, string>) {
  const { workspace } = cardbell();
  const { id: viewId } = await openedForm(cardbell(), user, () =>
    workspace.shortcut({ user, callbackId: 'card_command' }),
  );
  return await workspace.submitView({ user, viewId, values });
}

it('a global shortcut accepts every command, replies in the chosen channel, and shows errors beside the input', async () => {
  const card = cardbell().take('ACTIVE');

  await run(olga, { words: `/card show ${last4Of(card)}`, channel: channels.declines });
  await cardbell().waitTold(olga, new RegExp(`${holderOf(card)}.* is active`));

  const unclear = await run(olga, { words: 'shwo it' });
  expect(JSON.stringify(unclear.json)).toContain('errors');
});

it('reads a message link and two days as typed, although they have the check digit of a card number', async () => {
  await run(olga, {
    words: 'why https://x.slack.com/archives/C0DECLINES/p1795000000071271',
    channel: channels.declines,
  });
  await cardbell().waitTold(olga, /I know no such alert/);

  await run(ana, { words: 'delegate 2026-11-26 2026-11-30', person: hana });
  await cardbell().waitTold(ana, /That date has passed|stands in for you/);
});

it('asks for the channel of a setting, and of nothing else', async () => {
  for (const words of ['alerts long', 'subscribe declines', 'quiet off']) {
    const unclear = await run(ana, { words });
    expect(unclear.json).toMatchObject({ errors: { channel: 'Choose the channel to change.' } });
  }
  await run(ana, { words: 'alerts short', channel: channels.declines });
  await cardbell().waitTold(ana, /Alerts in this channel are now three lines/);
  await run(ana, { words: 'mutes' });
  await cardbell().waitTold(ana, /^No mutes/);
});

it('lets people pick a holder or a delegate from a list', async () => {
  const card = cardbell().take('ACTIVE');

  await run(ana, { words: `link ${card.AcctId}`, person: otto });
  await cardbell().waitTold(ana, new RegExp(`Linked: <@${otto}>`));

  await cardbell().workspace.openHome(ana);
  const home = () => cardbell().workspace.views.home.get(ana);
  await until(() => JSON.stringify(home()?.blocks ?? []).includes('name_delegate'), 'Ana may name a delegate');
  await cardbell().workspace.press({ user: ana, viewId: home()?.id ?? '', actionId: 'name_delegate' });
  const form = () => cardbell().workspace.views.top(ana);
  await until(() => form() !== undefined, 'the form opens');
  const values = { to: hana, from: day(-1), until: day(3) };
  await cardbell().workspace.submitView({ user: ana, viewId: form()?.id ?? '', values });
  await until(() => JSON.stringify(home()?.blocks).includes(`<@${hana}> stands in for you`), 'App Home shows her');

  await cardbell().command(hana, `limit ${card.AcctId} daily 77`);
  await cardbell().waitTold(hana, /^Limit changed/);
});

it('asks for the missing reason of `/card ask`, and keeps the typed duration', async () => {
  const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
  await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
  await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  await cardbell().link(card, otto, ana);

  await cardbell().command(otto, `ask ${last4Of(card)} 250 for 3 days`);
  const form = () => cardbell().workspace.views.top(otto);
  await until(() => form() !== undefined, 'the form opens');
  expect(JSON.stringify(form())).toContain('As asked: for 3 days');
  await cardbell().workspace.submitView({ user: otto, viewId: form()?.id ?? '', values: { reason: 'hotel' } });
  const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));

  expect(JSON.stringify(request.blocks)).toContain('For 3 days');
});
