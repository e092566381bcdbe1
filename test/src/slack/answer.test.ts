import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { createAnswer, createRespond } from '../../../src/slack/answer.ts';

const message = { text: 'Done.', blocks: [] };
const gone = new SlackError('response_url', 'refused', 'expired_url');

/** Answers a person while the first `failing` ways do not work. @returns the ways that were tried. */
async function waysTried(
  failing: number,
  reply: string | null = 'sealed',
  view?: { viewId: string; hash: string },
): Promise<string[]> {
  const tried: string[] = [];
  const attempt = (way: string): void => {
    tried.push(way);
    if (tried.length <= failing) throw gone;
  };
  const answer = createAnswer({
    slack: {
      updateView: async ({ viewId }, { blocks }) => attempt(`form ${viewId} with ${blocks.length}`),
      postEphemeral: async () => attempt('ephemeral'),
      openDirect: async () => 'D1',
      post: async (channel) => {
        attempt(`direct ${channel}`);
        return { channel, ts: '1' };
      },
    },
    respond: async (url) => attempt(url),
    seal: { seal: (text) => text, open: () => 'response_url' },
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const origin = { channel: 'C1', reply, replace: false, view };
  await answer({ id: 'act_1', actor: { userId: 'U1' }, origin }, message);
  return tried;
}

it('tries the response_url, then the channel, then a direct message, until one works', async () => {
  expect(await waysTried(0)).toEqual(['response_url']);
  expect(await waysTried(1)).toEqual(['response_url', 'ephemeral']);
  expect(await waysTried(2)).toEqual(['response_url', 'ephemeral', 'direct D1']);
});

it('answers in the open form of the request, or elsewhere if that was closed', async () => {
  const view = { viewId: 'V1', hash: '1' };

  expect(await waysTried(0, 'sealed', view)).toEqual(['form V1 with 0']);
  expect(await waysTried(1, 'sealed', view)).toEqual(['form V1 with 0', 'response_url']);
});

it('never throws, so that a completed action does not run again because its answer was lost', async () => {
  expect(await waysTried(3)).toHaveLength(3);
});

it('answers in the channel if there is no response_url', async () => {
  expect(await waysTried(0, null)).toEqual(['ephemeral']);
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
