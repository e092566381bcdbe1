import { describe, expect, it } from 'vitest';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import { listPage } from '../../../src/app-home/home-page.ts';
import { createHome, homeHealthFacts } from '../../../src/app-home/render-home.ts';
import { createHomeViewers } from '../../../src/app-home/viewer-store.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { createOpsMemory } from '../../../src/ops/notify-ops.ts';
import { opsUnreachable } from '../../../src/ops/refused-messages.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import type { TeamFacts } from '../../../templates/app-home/home-team.ts';
import { calmHealth } from '../../support/calm-health.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();
const noTeamFacts: TeamFacts = {
  isApprover: false,
  requests: [],
  claims: [],
  temporaryChanges: [],
  mutes: [],
  declines: [],
  inactive: [],
  health: calmHealth,
};

function createWorld(
  publishError: SlackError | null = null,
  roles: Role[] = [],
  { isShown = true, isComplete = true } = {},
) {
  const pages: string[] = [];
  const perPage: number[] = [];
  const enqueued: (string | number)[] = [];
  const opened: string[] = [];
  const home = createHome({
    viewers: createHomeViewers(redis(), () => new Date()),
    currentRoles: async () => ({ roles, isComplete }),
    facts: {
      ownRequests: async () => [],
      preferencesOf: async () => ({ off: [], digest: null, quiet: null, delegates: [] }),
      delegateOf: async () => ({ current: null, allowed: [] }),
      ownCards: async (_userId, which) => {
        perPage.push(which.perPage);
        return listPage([], which.page, which.perPage);
      },
      teamFacts: async () => {
        if (roles.length === 0) throw new Error('only the team may see the facts of the team');
        return noTeamFacts;
      },
    },
    recordOpening: async ({ userId }) => void opened.push(userId),
    page: {
      isShown: async () => isShown,
      async publish(_userId, view) {
        if (publishError !== null) throw publishError;
        pages.push(JSON.stringify(view));
      },
    },
    enqueue: {
      renderHome: async (userId) => void enqueued.push(userId),
      renderAll: async (delayMs) => void enqueued.push(delayMs),
    },
    now: () => new Date(),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const open = (userId: string) => home.open({ id: `home_${userId}`, userId, isOpening: true, turn: null });
  return { home, open, enqueued, opened, perPage, pages };
}

describe('a change that App Home may show', () => {
  it('enqueues nothing while nobody has App Home open', async () => {
    const { home, enqueued } = createWorld();

    await home.changed();

    expect(enqueued).toEqual([]);
  });

  it('is rendered once for all viewers, within Slack’s rate limit', async () => {
    const { home, open, enqueued } = createWorld();
    for (const userId of ['U0ANA', 'U0BEN', 'U0OLGA']) await open(userId);
    enqueued.length = 0;

    await home.changed();
    expect(enqueued).toEqual([3 * 1200]);

    await home.renderAll();
    expect(new Set(enqueued.slice(1))).toEqual(new Set(['U0ANA', 'U0BEN', 'U0OLGA']));
  });
});

it('renders App Home when the roles of a viewer change, which is no opening', async () => {
  const { home, open, opened, enqueued, perPage } = createWorld();
  await open('U0ANA');
  for (const userId of ['U0ANA', 'U0BEN']) await home.open({ id: 'home_1', userId, isOpening: false, turn: null });
  for (const userId of ['U0ANA', 'U0BEN']) await home.render(userId);

  expect(enqueued).toEqual(['U0ANA', 'U0ANA', 'U0BEN']);
  expect(opened).toEqual(['U0ANA']);
  expect(perPage, 'only that of the viewer').toHaveLength(1);
});

it.each<[boolean, Role[], boolean]>([
  [false, [], true],
  [false, ['operator'], true],
  // Nobody has more rights.
  [false, ['approver'], false],
  [true, [], false],
])(
  'says that something may be missing while Slack does not list a user group: listed %s, %j',
  async (isComplete, roles, isSaid) => {
    const { home, open, pages } = createWorld(null, roles, { isComplete });
    await open('U0ANA');
    await home.render('U0ANA');

    expect(pages.join().includes('Slack does not say just now which roles you have')).toBe(isSaid);
    expect(pages.join().includes('*Do you hold a card?*'), 'how to begin').toBe(roles.length === 0);
    expect(pages.join().includes('*Do you run the cards?*')).toBe(isComplete && roles.length === 0);
  },
);

it('shows fewer own cards at once to the team, whose page has more lists', async () => {
  for (const roles of [[], ['operator']] satisfies Role[][]) {
    const { home, open, perPage } = createWorld(null, roles);
    await open('U0ANA');
    await home.render('U0ANA');

    expect(perPage).toEqual([roles.length === 0 ? 5 : 2]);
  }
});

it('reads nothing for a person who looks at another card program', async () => {
  const { home, open, perPage } = createWorld(null, [], { isShown: false });
  await open('U0ANA');

  await home.render('U0ANA');

  expect(perPage).toEqual([]);
});

describe('App Home that Slack rejects', () => {
  it('is left unchanged if a retry cannot help', async () => {
    const { home, open } = createWorld(new SlackError('views.publish', 'refused', 'user_not_found'));
    await open('U0ANA');

    await expect(home.render('U0ANA')).resolves.toBeUndefined();
  });

  it('is rendered again if a retry can help', async () => {
    const { home, open } = createWorld(new SlackError('views.publish', 'rate_limited', 'ratelimited'));
    await open('U0ANA');

    await expect(home.render('U0ANA')).rejects.toThrow(SlackError);
  });
});

it('counts requests that wait for others of the same person, or for the card service, as waiting, and late messages', async () => {
  const queues = openQueues(redis());
  const enqueue = createEnqueue(queues, () => new Date());
  for (const id of ['act_1', 'act_2'])
    await enqueue('perform-action', { action: ask('show', { id }), signature: 'signed' }, { delayMs: 60_000 });
  await enqueue('perform-action', { action: ask('show', { id: 'act_3' }), signature: 'signed' });
  await enqueue('end-mute', { muteId: 'mute_1' }, { delayMs: 60_000 });

  const outbox = createOutbox(redis());
  const message = { text: 'Redis is full', blocks: [] };
  await outbox.put('C0ARCHIVED', { kind: 'notice', id: 'ops_1', message });
  await createOpsMemory(redis()).remember(opsUnreachable, new Date().toISOString());

  const facts = await homeHealthFacts({
    redis: redis(),
    queues,
    quarantined: { count: async () => 0, list: async () => [] },
    memory: { share: () => null },
    refusedFrom: 0.9,
    tokenVariable: 'CARD_API_TOKEN',
    outbox,
    // A notice may wait for half a minute.
    now: () => new Date(Date.now() + 202_000),
  });

  expect(facts.waiting).toBe(3);
  expect(facts.overdue).toEqual({ messages: 1, ms: expect.closeTo(172_000, -4) });
  expect(facts.isOpsUnreachable).toBe(true);
  await closeQueues(queues);
});
