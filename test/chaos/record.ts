import type { Redis } from 'ioredis';
import { verifyChain } from '../../bin/audit/verify-chain.ts';
import type { ApiCall } from '../../sandbox/server.ts';
import { createAuditReader } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import type { Workspace } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { BASE, type Cards } from './cards.ts';
import type { ChaosCluster } from './cluster.ts';
import { markPattern } from './events.ts';
import type { Answer, Click, Recording, SeenMessage, SentEvent, Write } from './recording.ts';

/** Facts about a run that the cluster does not know. */
export interface Done {
  readonly sent: readonly SentEvent[];
  readonly clicks: readonly Click[];
  readonly cards: Cards;
  readonly portal: ReadonlyMap<number, number>;
  readonly duringQuiet: readonly string[];
  readonly archived: ReadonlySet<string>;
  /** Number of earlier calls to the card service, which belong to other runs. */
  readonly callsBefore?: number;
}

/** Collects the {@link Recording} of a run. */
export async function record(cluster: ChaosCluster, done: Done): Promise<Recording> {
  const { workspace, sandbox, store } = cluster;
  const { sent, clicks, cards, portal, duringQuiet, archived, callsBefore = 0 } = done;
  return {
    sent,
    clicks,
    duringQuiet,
    archived,
    messages: await messagesOf(workspace),
    answers: answersOf(workspace),
    writes: writesOf(sandbox.calls.slice(callsBefore), cards.portal),
    ...(await recordsOf(store)),
    cards: sandbox.accounts().map(({ AcctId, CardList, SpendRules }) => ({
      acctId: AcctId,
      status: CardList[0]?.CardStatus.toLowerCase() ?? '',
      dailyLimit: SpendRules.DailySpendLimit,
      weeklyLimit: SpendRules.WeeklySpendLimit,
    })),
    quarantined: await store.zcard('{cardbell:state}:quarantine'),
    webDeaths: cluster.webDeaths,
    portal: [...portal].map(([acctId, weeklyLimit]) => ({ acctId, weeklyLimit })),
    bases: cards.temporary.map((acctId) => ({ acctId, dailyLimit: BASE })),
  };
}

async function messagesOf(workspace: Workspace): Promise<SeenMessage[]> {
  const direct = Object.values(people).map((user) => `D${user.slice(1)}`);
  const seen: SeenMessage[] = [];
  for (const channel of [...Object.values(channels), ...direct]) {
    for (const { ts, thread_ts: threadTs = null, text, blocks = [], files = [], metadata } of workspace.messages(
      channel,
    )) {
      const contents = files.map(async (id) => await (await fetch(`${workspace.url}files/${id}/list`)).text());
      const ref = metadata === undefined ? null : JSON.stringify(metadata.event_payload);
      seen.push({ channel, ts, threadTs, text, blocks, files: await Promise.all(contents), ref });
    }
  }
  return seen;
}

/** Messages to single people that were sent to Slack, including failed ones. */
function answersOf({ calls }: Workspace): Answer[] {
  return calls
    .filter(({ method }) => method === 'response_url' || method === 'chat.postEphemeral')
    .map(({ method, args: { url, user, text } }) => ({
      path: method === 'response_url' ? String(url) : null,
      userId: method === 'response_url' ? null : String(user),
      text: typeof text === 'string' ? text : '',
    }));
}

/** Excludes writes from the portal, which is the first to set each of its limits. */
function writesOf(calls: readonly ApiCall[], portalCard: number): Write[] {
  const known = new Set<unknown>();
  return calls.flatMap(({ method, path, body, done }) => {
    if (method === 'GET' || typeof body !== 'object' || body === null) return [];
    const weekly = (body as { WeeklySpendLimit?: number }).WeeklySpendLimit ?? 0;
    if (path.includes(`/${portalCard}`) && weekly > PORTAL_FROM && !known.has(weekly)) {
      known.add(weekly);
      return [];
    }
    return [{ method, path, body: body as Record<string, unknown>, isDone: done === 200 }];
  });
}

/** Weekly limits above this are set in the portal. */
export const PORTAL_FROM = 5000;

/** Cardbell's audit record. */
export async function recordsOf(store: Redis): Promise<Pick<Recording, 'records' | 'chainFault'>> {
  const audit = createAuditReader(store);
  const [fault] = (await verifyChain(audit.read(), await audit.head())).faults;
  const records: AuditRecord[] = [];
  for await (const { record: one } of audit.read()) if (one !== null) records.push(one);
  return {
    records,
    chainFault: fault === undefined ? null : `record ${fault.number} of the audit chain ${fault.why}`,
  };
}

/** Marks of events currently shown in a channel. */
export function marksIn(workspace: Workspace, channel: string): string[] {
  return workspace
    .messages(channel)
    .flatMap(({ text, blocks }) => `${text} ${JSON.stringify(blocks ?? [])}`.match(markPattern) ?? []);
}
