import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { createAnswer, createPostEphemeral, createRespond } from '../../../src/slack/answer.ts';

const askedAt = '2026-11-20T15:00:00.000Z';
const message = { text: 'Done.', blocks: [] };
const gone = new SlackError('response_url', 'refused', 'expired_url');

interface Given {
  readonly reply?: string | null;
  readonly threadTs?: string;
  readonly view?: { viewId: string; hash: string };
  readonly isDirect?: true;
  readonly replace?: boolean;
  readonly minutes?: number;
  readonly isOnlyThere?: boolean;
}

/** Answers a person while the first `failing` ways do not work. @returns the ways that were tried. */
async function waysTried(
  failing: number,
  { minutes = 0, isOnlyThere = false, ...given }: Given = {},
): Promise<string[]> {
  const tried: string[] = [];
  const attempt = (way: string): void => {
    tried.push(way);
    if (tried.length <= failing) throw gone;
  };
  const answer = createAnswer({
    slack: {
      updateView: async ({ viewId }, { blocks }) => attempt(`form ${viewId} with ${blocks.length}`),
      postEphemeral: async (_channel, _userId, _message, threadTs) =>
        attempt(threadTs === undefined ? 'ephemeral' : `ephemeral in ${threadTs}`),
    },
    notifyDirectly: async (userId, id) => void tried.push(`message ${userId} ${id}`),
    respond: async (url) => attempt(url),
    seal: { seal: (text) => text, open: () => 'response_url' },
    now: () => new Date(Date.parse(askedAt) + minutes * 60_000),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const origin = { channel: 'C1', reply: 'sealed', replace: false, ...given };
  await answer({ id: 'act_1', actor: { userId: 'U1' }, askedAt, origin }, message, { isOnlyThere });
  return tried;
}

it('tries the response_url, then the channel, then a direct message, until one works', async () => {
  expect(await waysTried(0)).toEqual(['response_url']);
  expect(await waysTried(1)).toEqual(['response_url', 'ephemeral']);
  expect(await waysTried(2)).toEqual(['response_url', 'ephemeral', 'message U1 act_1']);
});

it('answers in the open form of the request, or elsewhere if that was closed', async () => {
  const view = { viewId: 'V1', hash: '1' };

  expect(await waysTried(0, { view })).toEqual(['form V1 with 0']);
  expect(await waysTried(1, { view })).toEqual(['form V1 with 0', 'response_url']);
});

it.each([
  [2, false, ['response_url']],
  [3, false, ['message U1 act_1']],
  // The button of a question that is still there must not be pressed again.
  [2, true, ['response_url']],
  [3, true, ['response_url', 'message U1 act_1']],
  [31, true, ['response_url', 'message U1 act_1']],
])(
  'after %i minutes it is also read by a person who is away; replaces a question: %s',
  async (minutes, replace, ways) => {
    expect(await waysTried(0, { minutes, replace })).toEqual(ways);
  },
);

it('is a direct message after minutes although the question could not be replaced', async () => {
  expect(await waysTried(1, { minutes: 31, replace: true })).toEqual(['response_url', 'message U1 act_1']);
});

it.each([0, 3, 31])('only replaces a question if it is no news, also after %i minutes', async (minutes) => {
  const given = { minutes, replace: true, isOnlyThere: true };

  expect(await waysTried(0, given)).toEqual(['response_url']);
  expect(await waysTried(1, given)).toEqual(['response_url']);
});

it('stays in the open form that waits for it, however late', async () => {
  const view = { viewId: 'V1', hash: '1' };

  expect(await waysTried(0, { view, minutes: 5 })).toEqual(['form V1 with 0']);
  expect(await waysTried(1, { view, minutes: 5 })).toEqual(['form V1 with 0', 'message U1 act_1']);
});

it('is a direct message at once if others decided first', async () => {
  const view = { viewId: 'V1', hash: '1' };

  expect(await waysTried(0, { view, isDirect: true })).toEqual(['message U1 act_1']);
});

it('answers in the channel if there is no response_url', async () => {
  expect(await waysTried(0, { reply: null })).toEqual(['ephemeral']);
});

it('answers in the thread where the person asked', async () => {
  expect(await waysTried(0, { reply: null, threadTs: '1.1' })).toEqual(['ephemeral in 1.1']);
});

it.each([
  ['in the channel', 'C1', undefined, ['C1 U1']],
  ['in a direct message if Cardbell is not in the channel', 'C1', 'not_in_channel', ['C1 U1', 'D1']],
  ['in a direct message after a click in App Home', 'U1', undefined, ['D1']],
])('what only one person sees is posted %s', async (_where, channel, refusal, posted) => {
  const tried: string[] = [];
  const postEphemeral = createPostEphemeral({
    async postEphemeral(where, userId) {
      tried.push(`${where} ${userId}`);
      if (refusal !== undefined) throw new SlackError('chat.postEphemeral', 'refused', refusal);
    },
    openDirect: async () => 'D1',
    async post(where) {
      tried.push(where);
      return { channel: where, ts: '1' };
    },
  });

  await postEphemeral(channel, 'U1', message);

  expect(tried).toEqual(posted);
});

it.each([
  ['an error', () => new Response('', { status: 404 }), 'refused'],
  ['a server error', () => new Response('', { status: 502 }), 'unknown'],
  ['a refusal with status 200', () => new Response('{"ok":false,"error":"used_url"}'), 'refused'],
  ['no answer', () => Promise.reject(new Error('socket hang up')), 'unknown'],
])('a response_url that gives %s fails as %s', async (_what, response, code) => {
  const respond = createRespond({ fetch: async () => await response() });

  await expect(respond('https://hooks.example/1', message)).rejects.toMatchObject({ code });
});
