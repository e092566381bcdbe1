import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CircuitOpenError } from '../../../src/card-api/errors.ts';
import { createBreaker, createRetryPlan } from '../../../src/card-api/retry.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { calls, type FakeApi, failureOf, hang, json, refusal, startFakeApi, stopTime } from './fake-api.ts';

let api: FakeApi;

beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

describe('when rate limited', () => {
  it.each(['block', 'activate', 'limit'] as const)(
    'does not resend %s, because the data it was based on may have changed',
    async (what) => {
      api.answerWith(refusal(429, 'Usage limits exceeded', { 'retry-after': '7' }));

      expect(await failureOf(calls[what](api.client()))).toMatchObject({ outcome: 'refused', retryAfterMs: 7_000 });

      expect(api.waits).toEqual([]);
      expect(api.received).toHaveLength(1);
    },
  );

  it.each(['read', 'resend'] as const)(
    'resends %s after the requested wait, because nothing was done',
    async (what) => {
      api.answerWith(
        refusal(429, 'Usage limits exceeded', { 'retry-after': '7' }),
        json(200, { AccountId: 7378, CardList: [] }),
      );

      await calls[what](api.client());

      expect(api.waits).toEqual([7_000]);
      expect(api.received).toHaveLength(2);
    },
  );

  it('waits a little even if told to retry immediately', async () => {
    api.answerWith(refusal(429, '', { 'retry-after': '0' }), json(200, { AccountId: 7378, CardList: [] }));

    await api.client().getAccount(1);

    expect(api.waits).toEqual([500]);
  });

  it('accepts a date', async () => {
    const now = new Date('2026-11-20T12:00:00Z');
    api.answerWith(
      refusal(429, '', { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' }),
      json(200, { AccountId: 7378, CardList: [] }),
    );

    await api.client({ now: () => now }).getAccount(1);

    expect(api.waits).toEqual([9_000]);
  });

  it('waits some seconds, longer each time, if not told how long', async () => {
    api.answerWith(refusal(429, ''), refusal(429, ''), refusal(429, ''), json(200, { AccountId: 7378, CardList: [] }));

    await api.client({ deadlineMs: 120_000 }).getAccount(1);

    const [first = 0, second = 0, third = 0] = api.waits;
    expect(first).toBeGreaterThanOrEqual(3_000);
    expect(first).toBeLessThanOrEqual(6_000);
    expect(second).toBeGreaterThanOrEqual(6_000);
    expect(third).toBeGreaterThanOrEqual(12_000);
  });

  it('fails within its deadline and reports how long to wait', async () => {
    api.answerWith(refusal(429, 'Usage limits exceeded', { 'retry-after': '360' }));

    expect(await failureOf(api.client().listAccounts())).toMatchObject({
      code: 'rate_limited',
      outcome: 'refused',
      retryAfterMs: 360_000,
    });
    expect(api.waits).toEqual([]);
    api.answerWith(refusal(429, ''));
    expect(await failureOf(api.client().listAccounts())).toMatchObject({ code: 'rate_limited' });
    expect(api.waits.reduce((sum, one) => sum + one, 0)).toBeLessThan(60_000);
  });
});

it('a read is repeated seven times at most while the service limits requests, and not at all while nothing is sent', () => {
  const plan = createRetryPlan('safe');
  const limited = new CardApiError('too many requests', {
    operation: 'getAccount',
    status: 429,
    outcome: 'refused',
    code: 'rate_limited',
    apiMessage: null,
  });
  const waits = Array.from({ length: 8 }, () => plan.next(limited));

  expect(waits.indexOf(null)).toBe(7);
  expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(30_000);
  expect(createRetryPlan('safe').next(new CircuitOpenError('getAccount'))).toBeNull();
  expect(createRetryPlan('safe', 2).next(limited)).not.toBeNull();
  expect(createRetryPlan('safe', 0).next(limited)).toBeNull();
});

describe('a service that stays down', () => {
  it('is reported once as away and once as back', async () => {
    stopTime();
    const said: boolean[] = [];
    const breaker = createBreaker({ threshold: 2, halfOpenAfterMs: 20 }, (isAvailable) => said.push(isAvailable));
    const answer = (status: number) => async () => ({ status, statusText: '', retryAfter: null, text: null });

    for (const status of [503, 403, 503, 503]) await breaker.run(answer(status));
    expect(said, 'a refusal shows that it is up').toEqual([false]);
    expect(breaker.isOpen()).toBe(true);
    await expect(breaker.run(answer(200)), 'nothing is sent').rejects.toThrow();

    vi.advanceTimersByTime(40);
    await breaker.run(answer(200));
    expect(said).toEqual([false, true]);
    expect(breaker.isOpen()).toBe(false);
  });

  it('is not called any more, and is retried automatically', async () => {
    stopTime();
    const client = api.client({ breaker: { threshold: 3, halfOpenAfterMs: 60_000 } });
    api.answerWith(refusal(503, ''));
    await failureOf(client.getAccount(1));
    expect(api.received).toHaveLength(3);

    const error = await failureOf(client.setCardStatus(1, 'BLOCKED'));
    expect(error).toMatchObject({ code: 'unavailable', outcome: 'not_sent', status: null });
    expect(error.retryable).toBe(true);
    expect(api.received).toHaveLength(3);

    api.answerWith(json(200, {}));
    vi.advanceTimersByTime(60_001);
    await client.ping();
    await client.setCardStatus(1, 'BLOCKED');
  });

  it('is not considered down because it refuses', async () => {
    const client = api.client({ breaker: { threshold: 2, halfOpenAfterMs: 60_000 } });
    api.answerWith(refusal(503, ''), refusal(403, ''), refusal(503, ''), refusal(403, ''), json(200, {}));

    for (let call = 0; call < 4; call += 1) await failureOf(client.setCardStatus(1, 'ACTIVE', { maxRetries: 0 }));

    await client.setCardStatus(1, 'ACTIVE');
  });

  it('is tried by one call while the others fail at once', async () => {
    stopTime();
    const client = api.client({ breaker: { threshold: 1, halfOpenAfterMs: 20 }, timeoutMs: 1_000 });
    api.answerWith(refusal(503, ''), hang);
    await failureOf(client.ping({ maxRetries: 0 }));
    vi.advanceTimersByTime(40);
    const trying = failureOf(client.ping({ maxRetries: 0 }));

    expect(await failureOf(client.ping())).toMatchObject({ code: 'unavailable', outcome: 'not_sent' });

    await expect.poll(() => api.received.length, { timeout: 30_000 }).toBe(2);
    vi.advanceTimersByTime(1_000);
    expect((await trying).code).toBe('timeout');
  });
});
