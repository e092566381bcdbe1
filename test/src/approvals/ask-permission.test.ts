import { expect, it } from 'vitest';
import type { Message } from '../../../src/slack/message.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();

async function createWorld() {
  const posted = new Map<string, Message>();
  const world = await createActionWorld(redis(), {
    rolesOf: async () => ({ roles: [], isComplete: true }),
    whoMay: async () => ['U0ANA', 'S0APPROVERS'],
    postToApprovals: async (id, message) => void posted.set(id, message),
  });
  return { world, posted };
}

/** The value of *Ask them* on the last answer. */
function askValueIn({ blocks }: Message): string {
  const value = /"action_id":"ask_permission","value":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1];
  return value ?? expect.fail('the refusal has a button to ask');
}

it('lets a refused person ask the people with permission, in the approvals channel', async () => {
  const { world, posted } = await createWorld();
  await performAction(ask('unblock', { ...byCommand, reason: 'found it' }), world.deps);
  const refused = world.answers.at(-1) ?? expect.fail('the person was answered');
  const pending = await world.deps.pending.get(askValueIn(refused));
  if (pending?.kind !== 'choice') return expect.fail('the button stores a question');
  expect(pending.action).toMatchObject({ verb: 'ask-permission', asked: 'unblock', reason: 'found it' });

  const question = ask('ask-permission', { ...byCommand, reason: 'found it', asked: 'unblock' });
  await performAction(question, world.deps);
  await performAction(question, world.deps);

  expect(posted.size, 'one question, even if the job runs again').toBe(1);
  const [message] = posted.values();
  expect(message?.text).toMatch(
    /^<@U0OLGA> asks you to unblock cards · Jane Doe · card .*\. Reason: “found it” Only you may/,
  );
  expect(message?.text).toContain('`/card unblock ');
  expect(world.answers.at(-1)?.text).toMatch(/^Asked: <@U0ANA> and <!subteam\^S0APPROVERS>, in the approvals channel/);
  expect((await world.stations()).filter((event) => event === 'asked')).toHaveLength(1);
  expect(world.writes).toEqual([]);
});

it('names the typed words if the card is unknown', async () => {
  const { world, posted } = await createWorld();

  await performAction(
    ask('ask-permission', { ...byCommand, target: { kind: 'words', words: ['Sam', 'Rivera'] }, asked: 'block' }),
    world.deps,
  );

  const [question] = posted.values();
  expect(question?.text).toContain('asks you to block cards · “Sam Rivera”');
  expect(question?.text).toContain('`/card block Sam Rivera`');
});

it('asks at most five times an hour, so that a refused person cannot keep mentioning the approvers', async () => {
  const { world, posted } = await createWorld();
  for (let count = 1; count <= 7; count += 1)
    await performAction(ask('ask-permission', { ...byCommand, id: `act_q${count}`, asked: 'unblock' }), world.deps);

  expect(posted.size).toBe(5);
  expect(world.answers.at(-1)?.text).toContain('You asked 5 times within an hour.');
});
