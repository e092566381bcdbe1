import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const { ana, ben, zoe, hugo, otto } = people;
const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.yaml');

writeFileSync(
  file,
  `version: 1
approvers: [${ben}]
operators: []
groups:
  - { cards: [Field crews], approvers: [${ana}], approvals_channel: ${channels.status} }
  - { cards: [Office], approvers: [${zoe}], approvals_channel: ${channels.declines} }
`,
);

const cardbell = useCardbell({ ...inOneProcess, env: { POLICY_FILE: file } });

it('asks the approvers of the card’s group, and asks the person which card they mean if the words fit several', async () => {
  const { command, press, sandbox, store, texts, waitFor, waitTold, workspace } = cardbell();
  const bruno = sandbox.accounts().find(({ FirstName, LastName }) => `${FirstName} ${LastName}` === 'Bruno Alvarez');
  const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message));
  await command(hugo, 'link Alvarez');
  const asked = await waitTold(hugo, /More than one card matches “Alvarez”/);
  expect(JSON.stringify(asked)).not.toMatch(/Alice|Bruno/);

  await command(hugo, 'link Bruno Alvarez');
  const claimed = new RegExp(`<@${hugo}> says card`);
  const ofOffice = await waitFor(channels.declines, claimed);

  expect(bruno?.GroupId).toBe(2);
  expect(shown(ofOffice)).toContain('Bruno Alvarez');
  for (const other of [channels.status, channels.approvals]) expect(texts(other).join()).not.toMatch(claimed);
  const home = (): string => JSON.stringify(workspace.views.home.get(zoe)?.blocks ?? []);
  await workspace.openHome(zoe);
  await until(() => home().includes('confirm_claim'), 'App Home shows the claim');

  await press(zoe, ofOffice, 'confirm_claim');
  await until(() => shown(ofOffice).includes(`<@${hugo}> holds Bruno Alvarez`), 'it says so');
  expect(JSON.parse((await store.hget('{cardbell:state}:links', String(bruno?.AcctId))) ?? '{}')).toMatchObject({
    userId: hugo,
    by: zoe,
  });
});

it('asks the approvers of its group about a card that is known only from a webhook', async () => {
  const { command, sandbox, store, texts, waitFor } = cardbell();
  const card = sandbox.accounts().find(({ GroupId, LastName }) => GroupId === 1 && LastName !== 'Alvarez');
  const acctId = String(card?.AcctId);
  const stored: object = JSON.parse((await store.hget('{cardbell:dir}:accounts', acctId)) ?? '');
  await store.hset('{cardbell:dir}:accounts', acctId, JSON.stringify({ ...stored, group: null, detailsAt: null }));

  await command(otto, `link ${card?.LastName}`);

  await waitFor(channels.status, new RegExp(`<@${otto}> says card`));
  expect(texts(channels.approvals).join()).not.toContain(`<@${otto}> says card`);
});
