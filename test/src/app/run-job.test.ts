import { expect, it } from 'vitest';
import { createRunJob, type JobHandlers, type JobTry } from '../../../src/app/consumer.ts';
import { type JobName, jobs } from '../../../src/app/jobs.ts';
import { BusyError, SlackError, UnreadableError } from '../../../src/core/errors.ts';
import { ask } from '../../support/perform-world.ts';

const jobTry: JobTry = { isLast: false, starts: 1, hasWaited: false };
const nobody = async (): Promise<void> => {
  throw new Error('this job must not run');
};

function createWorld(handlers: Partial<JobHandlers>, settled: Promise<void> = Promise.resolve()) {
  const done: string[] = [];
  let losses = 0;
  const names = Object.keys(jobs) as JobName[];
  const rest = Object.fromEntries(names.map((name) => [name, nobody])) as Record<JobName, typeof nobody>;
  let homesChanged = 0;
  const homeChanged = async (): Promise<void> => {
    homesChanged += 1;
  };
  const unreadable: string[] = [];
  const notifyUnreadable = async (name: JobName): Promise<void> => void unreadable.push(name);
  return {
    unreadable,
    done,
    /** Redis came back with older data. */
    lose(): void {
      losses += 1;
    },
    run: createRunJob({
      handlers: { ...rest, ...handlers },
      throttle: { appRefusedMs: 5000 },
      redo: { settled: async () => settled, losses: () => losses },
      jobDone: (name) => void done.push(name),
      notifyUnreadable,
      homeChanged,
    }),
    homesChanged: () => homesChanged,
  };
}

it('runs a job with the data described in the table, and returns when to run it again', async () => {
  const { run } = createWorld({ 'end-mute': async ({ muteId }) => muteId.length });

  expect(await run('end-mute', { muteId: 'mute_1' }, jobTry)).toBe(6);
});

it('waits until writes that Redis may have lost are repeated', async () => {
  const did: string[] = [];
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const { run } = createWorld({ 'end-mute': async () => void did.push('job') }, settled);

  const running = run('end-mute', { muteId: 'mute_1' }, jobTry);
  await new Promise((resolve) => setTimeout(resolve, 20));
  did.push('written again');
  settle();
  await running;

  expect(did).toEqual(['written again', 'job']);
});

it('runs a job again if Redis lost writes during it, because some of the job’s writes may be lost', async () => {
  const { run, lose, done } = createWorld({ 'end-mute': async () => lose() });

  expect(await run('end-mute', { muteId: 'mute_1' }, jobTry)).toBeGreaterThan(0);
  expect(done).toEqual([]);
});

it('runs a job again, without counting a failure, if it fails because Redis lost writes', async () => {
  const fails = async (): Promise<void> => {
    lose();
    throw new UnreadableError('what was there a moment ago');
  };
  const { run, lose } = createWorld({ 'end-mute': fails });

  expect(await run('end-mute', { muteId: 'mute_1' }, { ...jobTry, isLast: true })).toBeGreaterThan(0);
});

it('remembers finished jobs, but not recurring ones', async () => {
  const { run, done } = createWorld({ 'end-mute': async () => {}, 'copy-audit': async () => {} });

  await run('end-mute', { muteId: 'mute_1' }, jobTry);
  await run('copy-audit', {}, jobTry);

  expect(done).toEqual(['end-mute']);
});

it('rejects data that does not match the schema', async () => {
  const { run } = createWorld({});

  await expect(run('end-mute', { mute: 'mute_1' }, jobTry)).rejects.toThrow('muteId');
});

it('reports a job that it cannot read on the last attempt', async () => {
  const { run, unreadable } = createWorld({});
  const ofNewerVersion = { subject: { kind: 'alert' } };

  await expect(run('update-messages', ofNewerVersion, jobTry)).rejects.toThrow(
    'cannot read the data of update-messages',
  );
  expect(unreadable).toEqual([]);
  await expect(run('update-messages', ofNewerVersion, { ...jobTry, isLast: true })).rejects.toThrow(UnreadableError);

  expect(unreadable).toEqual(['update-messages']);
});

it('runs a job to which a newer version has added a field', async () => {
  const { run } = createWorld({ 'end-mute': async ({ muteId }) => muteId.length });

  expect(await run('end-mute', { muteId: 'mute_1', zone: 'UTC' }, jobTry)).toBe(6);
});

it('renders App Home only after a job that may change its content', async () => {
  const world = createWorld({ 'refresh-homes': async () => {}, 'refresh-directory': async () => {} });

  await world.run('refresh-homes', {}, jobTry);
  await world.run('refresh-directory', {}, jobTry);

  expect(world.homesChanged()).toBe(1);
});

it('renders no App Home because a request has to wait for others of the same person', async () => {
  const busy = async (): Promise<void> => {
    throw new BusyError('it is not its turn');
  };
  const world = createWorld({ 'perform-action': busy });
  const data = { action: ask('show'), signature: 'signed' };

  await expect(world.run('perform-action', data, jobTry)).rejects.toThrow(BusyError);

  expect(world.homesChanged()).toBe(0);
});

it('needs no second run of an edit that worked', async () => {
  const { run } = createWorld({ 'update-messages': async () => {} });

  expect(await run('update-messages', { kind: 'alert', id: 'evt_1' }, jobTry)).toBeNull();
});

it('reschedules a message that Slack rejects for now, and fails a job that does not post', async () => {
  const refuse = async (): Promise<void> => {
    throw new SlackError('chat.update', 'app_refused', 'token_expired');
  };
  const { run } = createWorld({ 'update-messages': refuse, 'end-mute': refuse });

  expect(await run('update-messages', { kind: 'alert', id: 'evt_1' }, jobTry)).toBe(5000);
  await expect(run('end-mute', { muteId: 'mute_1' }, jobTry)).rejects.toThrow(SlackError);
});
