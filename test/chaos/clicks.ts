import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ofButton, ofCommand } from '../../handlers/dispatch/interaction.ts';
import { type AuditRecord, createAudit } from '../../src/audit/audit.ts';
import { verifyChain } from '../../src/audit/verify.ts';
import type { Delivery, StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import type { ChaosCluster } from './cluster.ts';
import type { Random } from './random.ts';

/** People who press and type while everything breaks. */
export interface Clicks {
  stop(): Promise<void>;
  /** Those acknowledged in time, by the id of their action. */
  readonly acknowledged: Map<string, string>;
  readonly made: () => number;
}

/**
 * Slack gives up on a click after three seconds, so what takes long (a Slack that is slow to tell who is in a group) is
 * acknowledged before it is stored; a process that dies then takes the click with it. In time, nothing may get lost.
 */
const LATE_MS = 1400;

type IdOf = { [K in 'button' | 'command']: (payload: unknown) => string };
const tools = { seals: { reply: { seal: () => '' } } } as never;
const idOf: IdOf = {
  button: (payload) => ofButton(payload as never, tools).id,
  command: (payload) => ofCommand(payload as never, tools).id,
};

export function startClicks(cluster: ChaosCluster, random: Random, everyMs: number): Clicks {
  const { workspace, sandbox, webs } = cluster;
  const cards = sandbox
    .accounts()
    .filter(({ CardList, SpendingRulesetId, IsVirtual }) => {
      const [card] = CardList;
      return CardList.length === 1 && card?.CardStatus === 'ACTIVE' && SpendingRulesetId === null && !IsVirtual;
    })
    .slice(0, 8);
  const acknowledged = new Map<string, string>();
  let made = 0;
  let isStopping = false;
  const done = run();

  async function run(): Promise<void> {
    while (!isStopping) {
      await sleep(everyMs);
      workspace.setAppUrl(`${random.pick(webs).url}/slack/events`);
      await click().catch((error: unknown) => {
        // The button has just gone: somebody else was faster.
        if (!(error instanceof Error && /no (element|message)|nothing to pick/.test(error.message))) throw error;
      });
    }
  }

  async function click(): Promise<void> {
    const { AcctId } = random.pick(cards);
    const what = random.weighted({ press: 3, acknowledge: 3, block: 2, unblock: 4, limit: 4 });
    const words = {
      block: `block ${AcctId} lost`,
      unblock: `unblock ${AcctId} found`,
      // Every amount is another, so that each write can be told from each.
      limit: `limit ${AcctId} daily ${random.integer(100, 900)}.${String(made % 100).padStart(2, '0')}`,
    };
    if (what === 'acknowledge') {
      // It changes no card and is not on record a second time: only the message that is edited counts here.
      const message = random.pick(workspace.messages(channels.declines).filter((one) => hasButton(one, what)));
      await workspace.press({ user: people.olga, message, actionId: 'acknowledge_alert' });
    } else if (what === 'press') {
      const message = workspace.messages(channels.declines).findLast((one) => hasButton(one, 'block_card'));
      if (message === undefined) return;
      keep('button', 'press', await workspace.press({ user: people.olga, message, actionId: 'block_card' }));
    } else {
      const user = what === 'block' ? people.olga : people.zoe;
      const text = words[what];
      keep('command', text, await workspace.command({ user, channel: channels.alerts, command: '/card', text }));
    }
  }

  function keep(kind: keyof IdOf, what: string, { ok, ms, payload }: Delivery): void {
    made += 1;
    if (ok && ms < LATE_MS) acknowledged.set(idOf[kind](payload), what);
  }

  return {
    acknowledged,
    made: () => made,
    async stop() {
      isStopping = true;
      await done;
    },
  };
}

const hasButton = ({ blocks }: StoredMessage, actionId: string): boolean =>
  JSON.stringify(blocks ?? []).includes(`"${actionId}`);

const ends: ReadonlySet<AuditRecord['event']> = new Set([
  'done',
  'failed',
  'unknown',
  'unchanged',
  'refused',
  'denied',
]);

/** Of so many clicks to block at least one must have had its effect. */
const WORTH_JUDGING = 6;

/** What is wrong with the record of what people did, in words; empty when nothing is. */
export async function auditFaults(store: Redis, { acknowledged }: Pick<Clicks, 'acknowledged'>) {
  const faults: string[] = [];
  const events = new Map<string, string[]>();
  const audit = createAudit({ redis: store });
  const verdict = await verifyChain(audit.read(), await audit.head());
  if (!verdict.isWhole) faults.push(`record ${verdict.number} of the audit chain ${verdict.why}`);
  for await (const { record } of audit.read()) {
    if (record === null || record.actor === null) continue;
    events.set(record.actionId, [...(events.get(record.actionId) ?? []), record.event]);
  }
  for (const [id, all] of events) {
    const asked = all.filter((event) => event === 'asked').length;
    const ended = all.filter((event) => (ends as ReadonlySet<string>).has(event)).length;
    // Raises that add up to more than one person may allow wait for a second: that is an outcome too.
    const isWaiting = ended === 0 && all.filter((event) => event === 'waiting').length === 1;
    if (asked > 1 || (ended !== 1 && !isWaiting))
      faults.push(`${id} (${acknowledged.get(id) ?? 'not acknowledged'}): ${all.join(', ')}`);
  }
  const blocks = [...acknowledged]
    .filter(([, what]) => /^(?:press|block)/.test(what))
    .map(([id]) => events.get(id) ?? []);
  if (blocks.length >= WORTH_JUDGING && !blocks.some((all) => all.includes('done') || all.includes('unchanged')))
    faults.push(`of ${blocks.length} clicks to block none had an effect`);
  const lost = [...acknowledged].filter(([id]) => !events.has(id)).map(([id, what]) => `${id} (${what})`);
  return { faults, lost, actions: events.size };
}

/**
 * Writes that the card service took and answered twice in a row. Only a worker that was killed or stood still before it
 * could read the answer may send its write again.
 */
export function doubledWrites({ sandbox }: Pick<ChaosCluster, 'sandbox'>, interrupted: number): string[] {
  const last = new Map<string, string>();
  const doubled: string[] = [];
  for (const { method, path, body, status } of sandbox.calls) {
    if (method !== 'PUT' || status !== 200) continue;
    const written = JSON.stringify(body);
    if (last.get(path) === written) doubled.push(path);
    last.set(path, written);
  }
  return doubled.length <= interrupted
    ? []
    : [`${doubled.length} writes were sent twice: ${doubled.slice(0, 5).join('; ')}`];
}

/** Writes of the card API that came back after a later one, and cards that are not as the last outcome says. */
export async function moneyFaults(store: Redis, { sandbox }: Pick<ChaosCluster, 'sandbox'>): Promise<string[]> {
  const faults: string[] = [];
  const lastSaid = new Map<string, AuditRecord>();
  for await (const { record } of createAudit({ redis: store }).read()) {
    if (record === null || record.event !== 'done' || record.acctId === null || record.after === null) continue;
    lastSaid.set(`${record.acctId} ${record.verb === 'limit' ? 'limit' : 'status'}`, record);
  }
  for (const { AcctId, CardList, SpendRules } of sandbox.accounts()) {
    const status = lastSaid.get(`${AcctId} status`);
    const card = CardList.find(({ CardId }) => CardId === status?.cardId) ?? CardList[0];
    const is = card?.CardStatus.toLowerCase();
    if (status !== undefined && status.after !== is)
      faults.push(`card of ${AcctId} is ${is}, the record says ${status.after}`);
    const limit = lastSaid.get(`${AcctId} limit`);
    const dollars = Number(limit?.after?.replaceAll(/[^\d.]/g, ''));
    if (limit !== undefined && dollars !== SpendRules.DailySpendLimit)
      faults.push(`limit of ${AcctId} is ${SpendRules.DailySpendLimit}, the record says ${limit.after}`);
  }
  const writes = new Map<string, string[]>();
  for (const { method, path, body, status } of sandbox.calls) {
    if (method !== 'PUT' || !path.includes('SpendRules')) continue;
    const amount = String((body as { DailySpendLimit?: number }).DailySpendLimit);
    if (status !== null && status >= 400) continue;
    writes.set(path, [...(writes.get(path) ?? []), amount]);
  }
  for (const [path, amounts] of writes) {
    const runs = amounts.filter((amount, index) => amount !== amounts[index - 1]);
    if (new Set(runs).size !== runs.length) faults.push(`${path}: an older write came back: ${amounts.join(', ')}`);
  }
  return faults;
}
