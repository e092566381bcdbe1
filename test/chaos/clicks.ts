import { setTimeout as sleep } from 'node:timers/promises';
import { ofButton, ofCommand } from '../../handlers/dispatch/interaction.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Delivery, StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { filledOrder } from '../support/virtual-order-form.ts';
import type { Cards } from './cards.ts';
import { type ChaosCluster, moreApprovers } from './cluster.ts';
import type { Random } from './random.ts';
import type { Click, ClickKind } from './recording.ts';

/** People who click and type during the disturbances. */
export interface Clicks {
  readonly made: readonly Click[];
  /** Makes one click of a kind, if there is anything to click on. Before the disturbances, it waits for its form. */
  readonly once: (kind: ClickKind) => Promise<void>;
  /** Describes how many acknowledged clicks are still missing. */
  wanting(acknowledged: number): readonly string[];
  /** Starts continuous clicking. */
  start(): void;
  /** Types one command now. */
  command(kind: ClickKind, acctId: number, words: string, unique?: string): Promise<Delivery>;
  stop(): Promise<void>;
}

type Act = () => Promise<unknown>;
const tools = { seals: { reply: { seal: () => '' } } } as never;
const pathOf = (url: string): string => (url === '' ? '' : new URL(url).pathname);

/** They take turns, because one person may only click about once a second. */
const approvers = [people.zoe, ...moreApprovers];
const operators = [people.olga, people.gus];

/** Only the latest alerts are searched, to keep the search cheap. */
const LATEST = 60;

/**
 * Three loops in parallel: one blocks and unblocks, one sets limits, and one makes requests, decides and orders.
 *
 * @param everyMs average delay between the clicks of a loop.
 * @param from first serial number of limits and names, to keep them distinct between runs.
 */
export function createClicks(
  cluster: ChaosCluster,
  cards: Cards,
  {
    randoms,
    everyMs,
    from = 0,
  }: { readonly randoms: readonly Random[]; readonly everyMs: number; readonly from?: number },
): Clicks {
  const { workspace, webs } = cluster;
  const made: Click[] = [];
  let isDisturbed = false;
  let isStopping = false;
  let serial = from;
  let turn = 0;

  /** Whose turn it is. */
  function next(team: readonly string[]): string {
    turn += 1;
    return team[turn % team.length] ?? '';
  }

  function keep(kind: ClickKind, id: string, delivery: Delivery, rest: Pick<Click, 'words' | 'acctId' | 'unique'>) {
    const { ok, ms, responseUrl, payload } = delivery;
    const { user_id: userId, user } = payload as { user_id?: string; user?: { id: string } };
    made.push({
      id,
      kind,
      userId: userId ?? user?.id ?? '',
      ok,
      ms,
      atMs: Date.now() - ms,
      responsePath: pathOf(responseUrl),
      ...rest,
    });
    return delivery;
  }

  async function command(kind: ClickKind, acctId: number, words: string, unique: string | null = null) {
    const user = kind === 'ask' ? people.hugo : next(kind === 'block' ? operators : approvers);
    const delivery = await workspace.command({ user, channel: channels.alerts, command: '/card', text: words });
    return keep(kind, ofCommand(delivery.payload as never, tools).id, delivery, { words, acctId, unique });
  }

  async function press(kind: ClickKind, user: string, message: StoredMessage, actionId: string, acctId: number | null) {
    const delivery = await workspace.press({ user, message, actionId });
    const words = `${kind} ${message.text.slice(0, 60)}`;
    keep(kind, ofButton(delivery.payload as never, tools).id, delivery, { words, acctId, unique: null });
  }

  const latest = (channel: string, actionId: string): StoredMessage[] =>
    workspace
      .messages(channel, { last: LATEST })
      .filter(({ blocks }) => JSON.stringify(blocks ?? []).includes(`"${actionId}`));
  /** A unique limit, so that all writes are distinguishable. */
  function nextLimit(): string {
    serial += 1;
    return (250 + serial / 100).toFixed(2);
  }

  const status = (random: Random): Record<string, Act> => ({
    block: () => command('block', ...typed(random.pick(cards.status), (acctId) => `block ${acctId} lost`)),
    unblock: () => command('unblock', ...typed(random.pick(cards.status), (acctId) => `unblock ${acctId} found`)),
    async press() {
      // Repeats start a new alert after someone acted on the decline, which would break the counts.
      const found = latest(channels.declines, 'block_card').filter((message) => cards.ofAlert(message) !== null);
      if (found.length === 0) return;
      const message = random.pick(found);
      await press('press', next(operators), message, 'block_card', cards.ofAlert(message));
    },
    async acknowledge() {
      // Changes no card and is not recorded twice. Only the edited message matters here.
      const found = latest(channels.declines, 'acknowledge_alert').filter((message) => cards.ofAlert(message) !== null);
      if (found.length > 0) await press('acknowledge', next(operators), random.pick(found), 'acknowledge_alert', null);
    },
  });
  const limits = (random: Random): Record<string, Act> => ({
    async limit() {
      const [acctId, unique] = [random.pick(cards.limit), nextLimit()];
      await command('limit', acctId, `limit ${acctId} daily ${unique}`, unique);
    },
    async temporary() {
      const free = cards.free();
      if (free === undefined) return;
      const unique = nextLimit();
      await command('temporary', free, `limit ${free} daily ${unique} for 2h fair`, unique);
    },
  });
  const requests = (random: Random): Record<string, Act> => ({
    async ask() {
      const [acctId, unique] = [random.pick(cards.linked), nextLimit()];
      await command('ask', acctId, `ask ${acctId} ${unique} for 2 hours booth`, unique);
    },
    async decide() {
      const found = latest(channels.approvals, 'decide_request_approve');
      if (found.length === 0) return;
      const what = random.next() < 0.8 ? 'approve' : 'deny';
      await press('decide', next(approvers), random.pick(found), `decide_request_${what}`, null);
    },
    order,
  });

  async function order(): Promise<void> {
    serial += 1;
    const name = `Q${serial}Z`;
    const opened = await workspace.command({
      user: people.ben,
      channel: channels.alerts,
      command: '/card',
      text: `virtual order Vera ${name}`,
    });
    if (!opened.ok) return;
    const view = await viewFor(name);
    if (view === undefined) return;
    const delivery = await workspace.submitView({
      user: people.ben,
      viewId: view.id,
      values: { ...filledOrder, amount: '1' },
    });
    const id = contentId('act_', ['order', view.private_metadata]);
    // The answer goes to where the form was requested.
    keep(
      'order',
      id,
      { ...delivery, responseUrl: opened.responseUrl },
      { words: `order ${name}`, acctId: null, unique: name },
    );
  }

  /** The form opens with a delay. During the disturbances also never, because Slack or a process fails. */
  async function viewFor(name: string) {
    const looks = isDisturbed ? 20 : 1200;
    for (let look = 0; look < looks; look += 1) {
      const top = workspace.views.top(people.ben);
      if (top !== undefined && JSON.stringify(top).includes(name))
        return top as typeof top & { private_metadata: string };
      await sleep(50);
    }
    return undefined;
  }

  async function run(random: Random, weights: Record<string, number>): Promise<void> {
    while (!isStopping) {
      await sleep(everyMs * (0.5 + random.next()));
      workspace.setAppUrl(`${random.pick(webs).url}/slack/events`);
      await acts[random.weighted(weights)]?.().catch((error: unknown) => {
        // Someone else was faster, and the button is gone.
        if (!(error instanceof Error && /no (element|message|view)|nothing to pick/.test(error.message))) throw error;
      });
    }
  }

  const [first, second, third] = randoms as [Random, Random, Random];
  const acts: Record<string, Act> = { ...status(first), ...limits(second), ...requests(third) };
  let running: Promise<unknown> = Promise.resolve();
  return {
    made,
    command,
    wanting(acknowledged) {
      const left = acknowledged - made.filter(({ ok }) => ok).length;
      return left > 0 ? [`${left} more clicks`] : [];
    },
    async once(kind) {
      workspace.setAppUrl(`${first.pick(webs).url}/slack/events`);
      await acts[kind]?.();
    },
    start() {
      isDisturbed = true;
      running = Promise.all([
        run(first, { press: 2, acknowledge: 2, block: 4, unblock: 6 }),
        run(second, { limit: 6, temporary: 3 }),
        run(third, { ask: 4, decide: 6, order: 2 }),
      ]);
    },
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

const typed = (acctId: number, words: (acctId: number) => string): [number, string] => [acctId, words(acctId)];
