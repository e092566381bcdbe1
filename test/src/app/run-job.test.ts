import { expect, it } from 'vitest';
import { type JobName, jobs } from '../../../src/app/jobs.ts';
import { type Attempt, createRunJob, type JobHandlers } from '../../../src/app/run-job.ts';
import { SlackError, UnreadableError } from '../../../src/core/errors.ts';

const attempt: Attempt = { isLast: false, starts: 1, hasWaited: false };
const nobody = async (): Promise<void> => {
  throw new Error('this job was not to run');
};

function createWorld(handlers: Partial<JobHandlers>, settled: Promise<void> = Promise.resolve()) {
  const names = Object.keys(jobs) as JobName[];
  const rest = Object.fromEntries(names.map((name) => [name, nobody])) as Record<JobName, typeof nobody>;
  let homesChanged = 0;
  const homeChanged = async (): Promise<void> => {
    homesChanged += 1;
  };
  const unreadable: string[] = [];
  const tellUnreadable = async (name: JobName): Promise<void> => void unreadable.push(name);
  return {
    unreadable,
    run: createRunJob({
      handlers: { ...rest, ...handlers },
      throttle: { tokenDeadMs: 5000 },
      settled: async () => settled,
      tellUnreadable,
      homeChanged,
    }),
    homesChanged: () => homesChanged,
  };
}

it('runs a job with the data that the table describes, and answers when to run it again', async () => {
  const { run } = createWorld({ 'end-mute': async ({ muteId }) => muteId.length });

  expect(await run('end-mute', { muteId: 'mute_1' }, attempt)).toBe(6);
});

it('waits until what Redis may have lost is written again', async () => {
  const did: string[] = [];
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const { run } = createWorld({ 'end-mute': async () => void did.push('job') }, settled);

  const running = run('end-mute', { muteId: 'mute_1' }, attempt);
  await new Promise((resolve) => setTimeout(resolve, 20));
  did.push('written again');
  settle();
  await running;

  expect(did).toEqual(['written again', 'job']);
});

it('refuses data that do not fit', async () => {
  const { run } = createWorld({});

  await expect(run('end-mute', { mute: 'mute_1' }, attempt)).rejects.toThrow('muteId');
});

it('tells whoever waits for a job that it cannot read, once it is not tried again', async () => {
  const { run, unreadable } = createWorld({});
  const ofNewerVersion = { subject: { kind: 'alert' } };

  await expect(run('update-messages', ofNewerVersion, attempt)).rejects.toThrow(
    'cannot read the data of update-messages',
  );
  expect(unreadable).toEqual([]);
  await expect(run('update-messages', ofNewerVersion, { ...attempt, isLast: true })).rejects.toThrow(UnreadableError);

  expect(unreadable).toEqual(['update-messages']);
});

it('does a job to which a newer version has added a field', async () => {
  const { run } = createWorld({ 'end-mute': async ({ muteId }) => muteId.length });

  expect(await run('end-mute', { muteId: 'mute_1', zone: 'UTC' }, attempt)).toBe(6);
});

it('renders App Home after a job that may change what it shows, and after no other', async () => {
  const world = createWorld({ 'refresh-homes': async () => {}, 'refresh-directory': async () => {} });

  await world.run('refresh-homes', {}, attempt);
  await world.run('refresh-directory', {}, attempt);

  expect(world.homesChanged()).toBe(1);
});

it('comes back for a message that Slack does not take now, and fails where Slack has no part in it', async () => {
  const refuse = async (): Promise<void> => {
    throw new SlackError('chat.update', 'token_dead', 'token_expired');
  };
  const { run } = createWorld({ 'update-messages': refuse, 'end-mute': refuse });

  expect(await run('update-messages', { kind: 'alert', id: 'evt_1' }, attempt)).toBe(5000);
  await expect(run('end-mute', { muteId: 'mute_1' }, attempt)).rejects.toThrow(SlackError);
});
