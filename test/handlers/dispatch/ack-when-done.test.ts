import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ackWhenDone } from '../../../handlers/dispatch/ack-when-done.ts';

/** Slack closes a socket every few hours. */
let isClosed = false;

beforeEach(() => {
  isClosed = false;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** A request whose listener acknowledges it and then works until `finish` is called. */
function request(...answer: unknown[]) {
  const acked: unknown[][] = [];
  const warned: unknown[][] = [];
  let [finish, fail] = [() => {}, (_error: Error) => {}];
  const work = new Promise<void>((resolve, reject) => {
    [finish, fail] = [resolve, reject];
  });
  const handled = ackWhenDone(async ({ ack }: { ack: (...given: never[]) => Promise<unknown> }) => {
    await ack(...(answer as never[]));
    await work;
  })({
    ack: async (...given) => {
      acked.push(given);
      if (isClosed) throw new Error('the socket is closed');
    },
    logger: { warn: (...said) => void warned.push(said) },
  });
  return { acked, warned, handled, finish, fail };
}

it('acknowledges a request when its listener is done, not before', async () => {
  const { acked, handled, finish } = request();
  await vi.advanceTimersByTimeAsync(1400);
  expect(acked).toEqual([]);
  finish();
  await handled;
  expect(acked).toEqual([[]]);
});

it('acknowledges after 1.5 s, within Slack’s three, while the listener still works, and only once', async () => {
  const { acked, handled, finish } = request();
  await vi.advanceTimersByTimeAsync(1499);
  expect(acked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(acked).toEqual([[]]);
  finish();
  await handled;
  expect(acked).toEqual([[]]);
});

it('sends the errors of a form at once', async () => {
  const errors = { response_action: 'errors', errors: { amount: 'expected an amount' } };
  const { acked, handled, finish } = request(errors);
  await vi.advanceTimersByTimeAsync(0);
  expect(acked).toEqual([[errors]]);
  finish();
  await handled;
  expect(acked).toEqual([[errors]]);
});

it('acknowledges a request whose listener fails after it asked to, and passes the error on', async () => {
  const { acked, handled, fail } = request();
  fail(new Error('Redis is away'));
  await expect(handled).rejects.toThrow('Redis is away');
  expect(acked).toEqual([[]]);
});

it.each([1400, 2000])('does not fail if what is done after %i ms cannot be acknowledged', async (ms) => {
  isClosed = true;
  const { acked, warned, handled, finish } = request();
  await vi.advanceTimersByTimeAsync(ms);
  finish();
  await handled;
  expect(acked).toEqual([[]]);
  expect(warned).toHaveLength(1);
});

it('fails if the errors of a form cannot be sent, because nothing else tells the person', async () => {
  isClosed = true;
  const { handled } = request({ response_action: 'errors', errors: {} });
  await expect(handled).rejects.toThrow('the socket is closed');
});

it('passes on why its listener failed, also if that cannot be acknowledged', async () => {
  isClosed = true;
  const { handled, fail } = request();
  fail(new Error('Redis is away'));
  await expect(handled).rejects.toThrow('Redis is away');
});

it('acknowledges nothing that the listener did not acknowledge', async () => {
  const acked: unknown[] = [];
  await ackWhenDone(async () => {})({ ack: async () => acked.push('acknowledged'), logger: { warn: () => {} } });
  await vi.advanceTimersByTimeAsync(5000);
  expect(acked).toEqual([]);
});
