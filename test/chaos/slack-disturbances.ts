import { setTimeout as sleep } from 'node:timers/promises';
import { channels, secrets } from '../support/people.ts';
import type { Cards } from './cards.ts';
import type { Clicks } from './clicks.ts';
import type { ChaosCluster } from './cluster.ts';
import { type ChaosEvent, markPattern } from './events.ts';
import type { Random } from './random.ts';
import { PORTAL_FROM } from './record.ts';
import { messageKey } from './recording.ts';

const slackFaults = [
  { kind: 'http_500' },
  { kind: 'http_500_after_accept' },
  { kind: 'timeout', ms: 11_000 },
  { kind: 'timeout_after_accept', ms: 11_000 },
  { kind: 'hang_up' },
  { kind: 'hang_up_after_accept' },
  { kind: 'rate_limited', retryAfterSeconds: 2 },
  { kind: 'slow', ms: 2500 },
  { kind: 'error', error: 'internal_error' },
  { kind: 'error', error: 'fatal_error' },
] as const;
const slackMethods = [
  /^chat\.postMessage$/,
  /^conversations\.(history|replies)$/,
  /^chat\.update$/,
  /^files\./,
  /./,
] as const;

const cardFaults = [
  { kind: 'http_500' },
  { kind: 'http_502_html' },
  { kind: 'hang', ms: 3000 },
  { kind: 'hang_after_effect', ms: 3000 },
  { kind: 'hang_up' },
  { kind: 'hang_up_after_effect' },
  { kind: 'rate_limited', retryAfterSeconds: 1 },
] as const;

const LOST_ANSWER_WITHIN_MS = 30_000;

export interface OutsideWorld {
  readonly cards: Cards;
  readonly clicks: Pick<Clicks, 'command'>;
  readonly isRepeated: (mark: string) => boolean;
  /** Sends one more repeat of a decline. */
  readonly repeat: (mark: string) => ChaosEvent | null;
  /** Keys ({@link messageKey}) of messages in a channel while it was archived. */
  readonly archived: Set<string>;
  readonly portal: Map<number, number>;
}

/** Disturbances of Slack and the card service. Each returns a description of what it did, or '' if nothing. */
export function slackDisturbances(cluster: ChaosCluster, random: Random, longest: number, world: OutsideWorld) {
  const { workspace, sandbox } = cluster;
  let serial = 0;
  return {
    async slackFails() {
      const times = random.integer(1, 3);
      workspace.faults.add({ method: random.pick(slackMethods), times, ...random.pick(slackFaults) });
      return 'Slack fails';
    },
    async slackCommitsLate() {
      const late = { method: 'chat.postMessage', times: random.integer(1, 3) } as const;
      if (random.next() < 0.5) workspace.faults.add({ ...late, kind: 'hang_up_before_accept', ms: 6000 });
      else workspace.faults.add({ ...late, kind: 'slow', ms: 12_000 });
      return 'Slack commits posts late';
    },
    async slackClockIsOff() {
      cluster.setSlackBehind(random.pick([-120_000, 120_000]));
      await sleep(random.integer(1000, longest));
      cluster.setSlackBehind(0);
      return 'clocks of Slack and Redis differ';
    },
    /** Deletes the message of a decline that is then repeated. */
    async deleteMessage() {
      const found = workspace.messages(channels.declines).flatMap((message) => {
        const marks = new Set(`${message.text} ${JSON.stringify(message.blocks ?? [])}`.match(markPattern));
        const [mark = ''] = marks;
        return marks.size === 1 && message.files === undefined && world.isRepeated(mark) ? [{ message, mark }] : [];
      });
      const latest = found.at(-1);
      if (latest === undefined) return '';
      const { message, mark } = latest;
      workspace.deleteMessage(message);
      await sleep(random.integer(0, longest / 4));
      return world.repeat(mark) === null ? '' : 'a message was deleted';
    },
    async archiveChannel() {
      const channel = random.pick([channels.shipping, channels.declines]);
      workspace.archive(channel);
      await sleep(random.integer(500, longest));
      for (const { ts } of workspace.messages(channel)) world.archived.add(messageKey({ channel, ts }));
      workspace.archive(channel, false);
      return 'a channel was archived';
    },
    async cardApiFails() {
      sandbox.faults.add({ path: /./, times: random.integer(1, 3), ...random.pick(cardFaults) });
      return 'card API fails';
    },
    /** Loses the response to a limit change while another limit is changed in the portal. */
    async loseAnswerAndChange() {
      serial += 1;
      const acctId = world.cards.portal;
      const path = new RegExp(`SpendRules/${acctId}`);
      const before = sandbox.calls.length;
      const amount = (400 + serial / 100).toFixed(2);
      sandbox.faults.add({ method: 'PUT', path, kind: 'hang_up_after_effect' });
      await world.clicks.command('limit', acctId, `limit ${acctId} daily ${amount}`, amount);
      const deadline = performance.now() + LOST_ANSWER_WITHIN_MS;
      while (performance.now() < deadline) {
        const sent = sandbox.calls.slice(before).find((call) => call.method === 'PUT' && path.test(call.path));
        if (sent?.done === 200) {
          await changeInPortal(acctId, PORTAL_FROM + serial);
          return 'the answer of a write was lost, and the portal changed the card';
        }
        await sleep(2);
      }
      return '';
    },
  };

  async function changeInPortal(acctId: number, WeeklySpendLimit: number): Promise<void> {
    const rules = sandbox.accounts().find(({ AcctId }) => AcctId === acctId)?.SpendRules;
    // Faults on the way to the API must not affect the portal.
    sandbox.faults.clear();
    const answer = await fetch(`${sandbox.url}/Card/SpendRules/${acctId}/Advanced`, {
      method: 'PUT',
      headers: { authorization: `token ${secrets.apiToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...rules, WeeklySpendLimit }),
    }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) world.portal.set(acctId, WeeklySpendLimit);
  }
}
