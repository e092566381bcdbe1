import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FoundMessage, Slack } from '../../../src/slack/client.ts';
import { deliver, markAnswer, programOfDelivery, slackOf, unmark } from '../../../src/slack/several-programs.ts';

const programs = [
  { name: '', command: '/card' },
  { name: 'eu', command: '/card-eu' },
  { name: 'uk', command: '/pay' },
];
const blockIds = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z-]{0,20}$/), { minLength: 1, maxLength: 8 });

describe('a form of a card program', () => {
  it('returns to the program with its own ids and the submitted values, and belongs to that program', () => {
    fc.assert(
      fc.property(fc.constantFrom('eu', 'uk'), blockIds, fc.string(), (program, ids, text) => {
        const blocks = ids.map((block_id) => ({ type: 'input', block_id, element: { action_id: block_id } }));
        const answer = { response_action: 'update', view: { type: 'modal', blocks } };

        const sent = markAnswer(program, answer) as typeof answer;
        const valuesOf = (all: readonly { block_id: string }[]) =>
          Object.fromEntries(
            all.map(({ block_id }) => [block_id, { field: { type: 'plain_text_input', value: text } }]),
          );
        const bodyOf = (view: typeof answer.view) => ({
          type: 'view_submission',
          view: { ...view, state: { values: valuesOf(view.blocks) } },
        });

        expect(programOfDelivery(bodyOf(sent.view), programs)).toEqual({ name: program });
        expect(unmark(program, bodyOf(sent.view))).toEqual(bodyOf(answer.view));
      }),
    );
  });

  it("uses Slack's field ids in validation errors", () => {
    const wrong = { response_action: 'errors', errors: { amount: 'Type an amount.' } };

    expect(markAnswer('eu', wrong)).toEqual({ response_action: 'errors', errors: { 'eu~amount': 'Type an amount.' } });
    expect(markAnswer('', wrong)).toBe(wrong);
  });
});

describe('a delivery', () => {
  it.each([
    ['/card', ''],
    ['/card-block', ''],
    ['/card-eu', 'eu'],
    ['/card-eu-block', 'eu'],
    ['/pay-limit', 'uk'],
    ['/other', ''],
  ])('of the command %s belongs to the program "%s"', (command, name) => {
    expect(programOfDelivery({ command }, programs)).toEqual({ name });
  });

  it.each([
    ['a button', { actions: [{ block_id: 'eu~~0' }], message: { blocks: [{ block_id: 'uk~x' }] } }, 'eu'],
    ['suggestions while someone types', { type: 'block_suggestion', block_id: 'uk~open' }, 'uk'],
    ['a message shortcut', { message: { blocks: [{ block_id: 'Ab1' }, { block_id: 'uk~~1' }] } }, 'uk'],
    ['a button of the first program', { actions: [{ block_id: 'period-day' }] }, ''],
    ['a button with a block id from Slack', { actions: [{ block_id: 'K=~b/' }] }, ''],
    ["a shortcut on another app's message", { message: { blocks: [{ block_id: 'old~~0' }] } }, ''],
    ['an empty body', { actions: null, view: 'x', message: { blocks: null } }, ''],
  ])('of %s belongs to the program of its block', (_what, body, name) => {
    expect(programOfDelivery(body, programs)).toEqual({ name });
  });

  it.each([
    ['a button', { actions: [{ block_id: 'old~~0' }], message: { blocks: [{ block_id: 'old~~0' }] } }],
    ['a form', { type: 'view_submission', view: { blocks: [{ block_id: 'old~amount' }] } }],
    ['a field with suggestions', { type: 'block_suggestion', block_id: 'old~card' }],
  ])('of %s of a removed program reaches no other program, whose ids may be the same', async (_what, body) => {
    const got: string[] = [];
    const parts = programs.map(({ name, command }) => ({
      name,
      command,
      inside: <T>(run: () => T): T => run(),
      processEvent: async () => void got.push(name),
    }));

    const bodies = await deliver({ body, ack: async () => {} }, parts, { all: programs, chosen: async () => '' });

    expect([bodies, got]).toEqual([[], []]);
  });

  it.each([
    ['a button of the first program', { actions: [{ block_id: 'period-day' }] }],
    ['a command of the first program', { command: '/card' }],
    ['App Home of a person who sees the first program', { event: { type: 'app_home_opened', user: 'U1' } }],
  ])('of %s reaches no other program, even in a process that runs only that other one', async (_what, body) => {
    const got: string[] = [];
    const ofEu = {
      name: 'eu',
      command: '/card-eu',
      inside: <T>(run: () => T): T => run(),
      processEvent: async () => void got.push('eu'),
    };

    await deliver({ body, ack: async () => {} }, [ofEu], { all: programs, chosen: async () => '' });

    expect(got).toEqual([]);
  });

  it('of a workspace event belongs to all programs, and one of App Home to the chosen program', () => {
    expect(programOfDelivery({ event: { type: 'subteam_updated' } }, programs)).toBe('all');
    expect(programOfDelivery({ event: { type: 'app_home_opened' } }, programs)).toBe('chosen');
  });
});

it('a workspace event reaches all programs and is acknowledged once, as Bolt requires', async () => {
  const got: string[] = [];
  let acknowledged = 0;
  const event = {
    body: { event: { type: 'subteam_updated' } },
    ack: async () => {
      acknowledged += 1;
    },
  };
  const parts = programs.map(({ name, command }) => ({
    name,
    command,
    inside: <T>(run: () => T): T => run(),
    processEvent: async ({ ack }: { ack: (answer?: never) => Promise<void> }) => {
      got.push(name);
      await ack();
    },
  }));

  await deliver(event, parts, { all: programs, chosen: async () => '' });

  expect(got).toEqual(['', 'eu', 'uk']);
  expect(acknowledged).toBe(1);
});

it('neither program finds a message that the other posted under the same id', async () => {
  const stands: FoundMessage[] = [];
  const slack = {
    post: async (channel: string, _message: object, ref: string, _thread: unknown, marks: readonly string[]) => {
      stands.push({ ts: `${stands.length}`, ref, marks, files: [] });
      return { channel, ts: '1' };
    },
    findMessages: async () => stands,
  } as Partial<Slack> as Slack;
  const message = { text: 'Declined.', blocks: [{ type: 'divider' as const }] };
  const refsOf = async (program: string) =>
    (await slackOf(program, slack).findMessages({ channel: 'C1', threadTs: null, sinceMs: 0 })).map(({ ref }) => ref);

  await slackOf('eu', slack).post('C1', message, 'evt_1', null, ['mark0001']);
  await slackOf('', slack).post('C1', message, 'evt_2', null, ['mark0002']);

  expect(await refsOf('eu')).toEqual(['evt_1', null]);
  expect(await refsOf('')).toEqual([null, 'evt_2']);
  expect(await refsOf('uk')).toEqual([null, null]);
});
