import { expect, it } from 'vitest';
import { createRequests } from '../../../src/approvals/request-store.ts';
import { askedAt, openRequestOf } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();

it('lists the open requests and keeps the decided ones', async () => {
  const requests = createRequests(redis(), storeSigner);
  const decided = openRequestOf({ id: 'req_decided' });
  await requests.save(openRequestOf({ id: 'req_open' }));
  await requests.save(decided);
  const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };

  await requests.save({ ...decided, state: 'denied', decision });

  expect((await requests.open()).map(({ id }) => id)).toEqual(['req_open']);
  expect(await requests.get('req_decided')).toMatchObject({ state: 'denied', decision });
  expect(await requests.get('req_gone')).toBeNull();
});

it('keeps who asked for the same, also if the request is saved as it was read before', async () => {
  const requests = createRequests(redis(), storeSigner);
  const request = openRequestOf();
  await requests.save(request);
  await requests.addAsker(request.id, 'U0ZOE');
  await requests.addAsker(request.id, 'U0ZOE');

  const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
  await requests.save({ ...request, state: 'denied', decision });

  expect(await requests.get(request.id)).toMatchObject({ state: 'denied', askedToo: ['U0ZOE'] });
  expect(await requests.addAsker(request.id, 'U0EVE'), 'decided').toBeNull();
});

it('keeps everybody who asked for the same if an older request is repeated after Redis lost it', async () => {
  const requests = createRequests(redis(), storeSigner);
  await requests.save(openRequestOf({ askedToo: ['U0ANA'] }));

  await requests.save(openRequestOf({ askedToo: ['U0ANA', 'U0ZOE'] }));
  await requests.save(openRequestOf({ askedToo: ['U0EVE'] }));

  expect(await requests.open()).toMatchObject([{ askedToo: ['U0ANA', 'U0ZOE', 'U0EVE'] }]);
});

it('keeps a request for 30 days, so an open one outlives its 24 hours', async () => {
  const requests = createRequests(redis(), storeSigner);
  await requests.save(openRequestOf({ id: 'req_1' }));

  for (const key of ['request:req_1', `requests-of:${acctId}`]) {
    const left = await redis().ttl(`{cardbell:state}:${key}`);
    expect(left, key).toBeGreaterThan(30 * 86_400 - 60);
    expect(left, key).toBeLessThanOrEqual(30 * 86_400);
  }
});

it('lists an account’s requests of the last 30 days', async () => {
  const requests = createRequests(redis(), storeSigner);
  for (const [id, day] of [
    ['req_31_days', '2026-10-20'],
    ['req_29_days', '2026-10-22'],
    ['req_now', '2026-11-20'],
  ] as const)
    await requests.save(openRequestOf({ id, action: ask('limit', { askedAt: `${day}T15:00:00.000Z` }) }));

  expect((await requests.requestsOf(acctId)).map(({ id }) => id)).toEqual(['req_now', 'req_29_days']);
});

it.each([
  ['an alert', (alertId: string) => ({ kind: 'alert', alertId }) as const],
  ['a card that was picked there', (alertId: string) => ({ kind: 'card', acctId, cardId: null, alertId }) as const],
])('returns the approvers of a request made from %s', async (_where, targetOf) => {
  const requests = createRequests(redis(), storeSigner);
  const decision = { actionId: 'act_zoe', by: 'U0ZOE', at: askedAt };
  const approvals = ['U0BEN', 'U0ZOE'].map((by) => ({ by, at: askedAt, actionId: `act_${by}` }));
  const fromAlert = (alertId: string) =>
    openRequestOf({
      id: `req_${alertId}`,
      approvals,
      action: ask('limit', { target: targetOf(alertId), askedAt }),
    });
  await requests.save({ ...fromAlert('evt_1'), state: 'approved', decision, temporaryChangeId: null });
  await requests.save({ ...fromAlert('evt_2'), state: 'denied', decision });

  expect(await requests.approversOf(acctId, 'evt_1')).toEqual(['U0BEN', 'U0ZOE']);
  expect(await requests.approversOf(acctId, 'evt_2')).toEqual([]);
});

it('lists an account’s requests that were denied since a time', async () => {
  const requests = createRequests(redis(), storeSigner);
  const deniedAt = (id: string, at: string) =>
    requests.save({ ...openRequestOf({ id }), state: 'denied', decision: { actionId: 'act_1', by: 'U0ANA', at } });
  await deniedAt('req_before', '2026-11-20T15:00:00.000Z');
  await deniedAt('req_after', '2026-11-20T15:00:00.001Z');
  await requests.save(openRequestOf({ id: 'req_open' }));

  const denied = await requests.deniedSince(acctId, Date.parse('2026-11-20T15:00:00.000Z'));
  expect(denied.map(({ id }) => id)).toEqual(['req_after']);
});

it('finds a denial for a day, no matter how much was asked for after it', async () => {
  const requests = createRequests(redis(), storeSigner);
  const at = '2026-11-20T15:00:00.000Z';
  const denied = { state: 'denied', decision: { actionId: 'act_1', by: 'U0ANA', at } } as const;
  await requests.save({ ...openRequestOf({ id: 'req_denied' }), ...denied });
  const later = ask('limit', { askedAt: '2026-11-20T15:01:00.000Z' });
  for (let count = 0; count < 50; count += 1)
    await requests.save(openRequestOf({ id: `req_later${count}`, action: later }));

  expect((await requests.requestsOf(acctId)).map(({ id }) => id)).not.toContain('req_denied');
  expect((await requests.deniedSince(acctId, Date.parse(at) - 1)).map(({ id }) => id)).toEqual(['req_denied']);

  const nextDay = { ...denied.decision, at: '2026-11-21T15:00:00.000Z' };
  await requests.save({ ...openRequestOf({ id: 'req_next' }), ...denied, decision: nextDay });
  const key = `{cardbell:state}:requests-denied:${acctId}`;
  expect(await redis().zrange(key, '0', '-1'), 'those of a day ago are cut').toEqual(['req_next']);
  expect(await redis().ttl(key)).toBeGreaterThan(86_400 - 60);
});

it('finds a denial that an older version put on the list of all requests only', async () => {
  const requests = createRequests(redis(), storeSigner);
  const decision = { actionId: 'act_1', by: 'U0ANA', at: askedAt };
  await requests.save({ ...openRequestOf({ id: 'req_denied' }), state: 'denied', decision });
  await redis().del(`{cardbell:state}:requests-denied:${acctId}`);

  expect((await requests.deniedSince(acctId, Date.parse(askedAt) - 1)).map(({ id }) => id)).toEqual(['req_denied']);
});

it('rejects a request that was altered in Redis, but still shows it in the web process', async () => {
  const requests = createRequests(redis(), storeSigner);
  await requests.save(openRequestOf({ id: 'req_1' }));
  await requests.save(openRequestOf({ id: 'req_2' }));
  const key = '{cardbell:state}:request:req_1';
  const kept = JSON.parse((await redis().get(key)) ?? '') as object;
  await redis().set(key, JSON.stringify({ ...kept, approvals: [{ by: 'U0BEN', at: askedAt, actionId: 'act_ben' }] }));

  await expect(requests.get('req_1')).rejects.toThrow('not written by a worker');
  expect((await requests.open()).map(({ id }) => id)).toEqual(['req_2']);
  expect((await createRequests(redis(), null).open()).map(({ id }) => id)).toEqual(['req_1', 'req_2']);
  await redis().set(key, (await redis().get('{cardbell:state}:request:req_2')) ?? '');
  await expect(requests.get('req_1'), 'copied from another request').rejects.toThrow('not written by a worker');
});

it('keeps what others decided about a request that a stalled attempt adds again', async () => {
  const requests = createRequests(redis(), storeSigner);
  const request = openRequestOf({ id: 'req_1' });
  expect(await requests.add(request)).toEqual(request);
  const approved = { ...request, approvals: [{ by: 'U0BEN', at: askedAt, actionId: 'act_ben' }] };
  await requests.save(approved);

  expect(await requests.add(request)).toEqual(approved);
  expect(await requests.get('req_1')).toEqual(approved);
});
