import { expect, it } from 'vitest';
import { createSettingOrder } from '../../../src/core/setting-order.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = (): Date => new Date('2026-11-20T15:00:01.000Z');
const first = { id: 'act_1', askedAt: '2026-11-20T15:00:00.000Z' };
const second = { id: 'act_2', askedAt: '2026-11-20T15:00:00.500Z' };

it('lets an action that runs again set something only while no other has set it since', async () => {
  const settingOrder = createSettingOrder(redis(), now);

  expect(await settingOrder.begin('link:610009', first)).toBe(true);
  expect(await settingOrder.begin('link:610009', first)).toBe(true);

  expect(await settingOrder.begin('link:610010', second)).toBe(true);
  expect(await settingOrder.begin('link:610009', first), 'another card').toBe(true);

  expect(await settingOrder.begin('link:610009', second)).toBe(true);
  expect(await settingOrder.begin('link:610009', first)).toBe(false);
  expect(await settingOrder.begin('link:610009', second)).toBe(true);
});

it('does not let an action that waited set something that was asked for later', async () => {
  const settingOrder = createSettingOrder(redis(), now);

  expect(await settingOrder.begin('link:610009', second)).toBe(true);

  expect(await settingOrder.begin('link:610009', first)).toBe(false);
});

it('says whether something was set later, without setting it', async () => {
  const settingOrder = createSettingOrder(redis(), now);
  expect(await settingOrder.isSetSince('link:610009', second)).toBe(false);
  expect(await settingOrder.begin('link:610009', first)).toBe(true);

  expect(await settingOrder.isSetSince('link:610009', second)).toBe(false);
  expect(await settingOrder.begin('link:610009', second)).toBe(true);
  expect(await settingOrder.isSetSince('link:610009', first)).toBe(true);
  expect(await settingOrder.isSetSince('link:610009', second)).toBe(false);
});

it('lets an action go on whose beginning an older version did not note', async () => {
  const settingOrder = createSettingOrder(redis(), now);

  expect(await settingOrder.begin('link:610009', first)).toBe(true);
});

it('lets an action begin after one of an older version, which noted no time', async () => {
  const settingOrder = createSettingOrder(redis(), now);
  await settingOrder.begin('link:610009', { id: 'act_0', askedAt: '' });

  expect(await settingOrder.begin('link:610009', first)).toBe(true);
});

it('lets an action begin although the same was set before the clock was set back', async () => {
  const settingOrder = createSettingOrder(redis(), now);
  const beforeSetBack = { id: 'act_0', askedAt: '2026-11-20T16:00:00.000Z' };
  expect(await settingOrder.begin('mutes:7378', beforeSetBack)).toBe(true);

  expect(await settingOrder.begin('mutes:7378', first)).toBe(true);
  expect(await settingOrder.begin('mutes:7378', second)).toBe(true);
  expect(await settingOrder.begin('mutes:7378', first), 'the order since then holds').toBe(false);
});

it('keeps the order although another process is a little ahead', async () => {
  const settingOrder = createSettingOrder(redis(), now);
  expect(await settingOrder.begin('mutes:7378', { id: 'act_0', askedAt: '2026-11-20T15:00:30.000Z' })).toBe(true);

  expect(await settingOrder.begin('mutes:7378', first)).toBe(false);
});
