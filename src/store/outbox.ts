import { randomBytes } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { outboxKey, stateKey } from '../keys.ts';
import { defineScript } from '../redis-script.ts';

/** How long we know that something was posted: longer than any retry of it can come. */
const SENT_TTL_SECONDS = 8 * 24 * 3600;

/** Made by our own templates; Slack checks it when it is posted. */
const Block = z.custom<KnownBlock>((value) => typeof value === 'object' && value !== null && 'type' in value);

/**
 * Something that waits to be posted in one channel. An alert is rendered when its turn comes, so it shows what is
 * known then; a notice carries its message.
 */
export const OutboxEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('alert'),
    /** One for each alert and channel. */
    id: z.string(),
    alertId: z.string(),
    /** In whose words: for those who run the program, or for the holder of the card (a direct message). */
    audience: z.enum(['team', 'holder']).default('team'),
    /** The story that it belongs to: everything of one story in one channel is one thread. Null: none. */
    threadId: z.string().nullable().default(null),
    /** A reply in a thread that everybody in the channel must see: it shows in the channel as well. */
    broadcast: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal('notice'),
    id: z.string(),
    message: z.object({ text: z.string(), blocks: z.array(Block) }),
    /** Told where the message stands once it is posted, so that it can be changed later. */
    requestId: z.string().nullable(),
  }),
]);
export type OutboxEntry = z.infer<typeof OutboxEntry>;

/** One message on its way to Slack. */
const Sending = z.strictObject({
  /** Opaque; goes into the message's metadata, by which it is found again. */
  ref: z.string(),
  entryIds: z.array(z.string()),
  /** Milliseconds since 1970 by Redis' clock, the one clock that all workers share. */
  startedAt: z.number(),
});
export type Sending = z.infer<typeof Sending>;

export type Claim =
  | { readonly state: 'empty' }
  /** Ours to post now. */
  | { readonly state: 'claimed'; readonly sending: Sending; readonly entries: readonly OutboxEntry[] }
  /** Somebody posted, or tried to, and did not write down how it ended. */
  | {
      readonly state: 'unsettled';
      readonly sending: Sending;
      readonly entries: readonly OutboxEntry[];
      /** Milliseconds since it was claimed. */
      readonly ageMs: number;
    };

export interface Outbox {
  /** Adds an entry unless it waits already or was posted. Safe to repeat. */
  put(channel: string, entry: OutboxEntry): Promise<boolean>;
  /** Takes the oldest entries, at most `max`, as one message. Nothing else can be claimed until it is settled. */
  claim(channel: string, max: number): Promise<Claim>;
  /** The message stands at `ts`. */
  settleSent(channel: string, ref: string, ts: string): Promise<void>;
  /** It was not posted: the entries wait again. */
  settleUnsent(channel: string, ref: string): Promise<void>;
  /** It can never be posted here: the entries leave this channel. */
  settleDropped(channel: string, ref: string): Promise<void>;
  /** Milliseconds until the channel may be posted to again; 0 when it may now. */
  pauseLeft(channel: string): Promise<number>;
  pauseFor(channel: string, ms: number): Promise<void>;
  /** Channels that may have something waiting. */
  channels(): Promise<string[]>;
  waiting(channel: string): Promise<number>;
}

/**
 * Times are Redis' own: the clocks of workers differ, and one that is an hour fast would have its entries waiting behind
 * all others, and would take a message on its way for one that was left lying.
 */
const nowInRedis = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const putScript = `${nowInRedis}
if redis.call('EXISTS', KEYS[3]) == 1 or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
return 1
`;

const claimScript = `${nowInRedis}
local sending = redis.call('GET', KEYS[3])
local state = 'unsettled'
if not sending then
  local ids = redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)
  if #ids == 0 then return {'empty'} end
  sending = cjson.encode({ref = ARGV[2], entryIds = ids, startedAt = now})
  redis.call('SET', KEYS[3], sending)
  state = 'claimed'
end
local decoded = cjson.decode(sending)
local answer = {state, sending, now - decoded.startedAt}
for _, id in ipairs(decoded.entryIds) do
  answer[#answer + 1] = redis.call('HGET', KEYS[2], id) or ''
end
return answer
`;

/** ARGV: ref, what to do, ts, time to live, prefix of the memory keys. */
const settleScript = `
local sending = redis.call('GET', KEYS[3])
if not sending then return 0 end
local decoded = cjson.decode(sending)
if decoded.ref ~= ARGV[1] then return 0 end
if ARGV[2] ~= 'unsent' then
  for _, id in ipairs(decoded.entryIds) do
    redis.call('HDEL', KEYS[2], id)
    redis.call('ZREM', KEYS[1], id)
    if ARGV[2] == 'sent' then redis.call('SET', ARGV[5] .. id, ARGV[3], 'EX', ARGV[4]) end
  end
end
redis.call('DEL', KEYS[3])
return 1
`;

const channelsKey = stateKey('outbox-channels');

/** One queue of messages for each channel, with the memory of what was posted. All keys of a channel share a slot. */
export function createOutbox(redis: Redis | Cluster): Outbox {
  const put = defineScript(redis, 'cardbellOutboxPut', putScript);
  const claim = defineScript(redis, 'cardbellOutboxClaim', claimScript);
  const settle = defineScript(redis, 'cardbellOutboxSettle', settleScript);
  const keysOf = (channel: string): string[] => [
    outboxKey(channel, 'queue'),
    outboxKey(channel, 'entries'),
    outboxKey(channel, 'sending'),
  ];
  const settleAs = async (channel: string, ref: string, how: 'sent' | 'unsent' | 'dropped', ts = ''): Promise<void> => {
    await settle.run(keysOf(channel), [ref, how, ts, SENT_TTL_SECONDS, outboxKey(channel, 'sent:')]);
  };

  return {
    async put(channel, entry) {
      // First, so that a sweep finds the channel even if we stop between the two.
      await redis.sadd(channelsKey, channel);
      const [queue, entries] = keysOf(channel) as [string, string];
      const keys = [queue, entries, outboxKey(channel, `sent:${entry.id}`)];
      return (await put.run(keys, [entry.id, JSON.stringify(entry)])) === 1;
    },
    async claim(channel, max) {
      const ref = `m_${randomBytes(9).toString('base64url')}`;
      const [state, text, age, ...texts] = (await claim.run(keysOf(channel), [max, ref])) as string[];
      if (state === 'empty' || text === undefined) return { state: 'empty' };
      const sending = Sending.parse(JSON.parse(text));
      const entries = texts.filter((one) => one !== '').map((one) => OutboxEntry.parse(JSON.parse(one)));
      return state === 'claimed'
        ? { state: 'claimed', sending, entries }
        : { state: 'unsettled', sending, entries, ageMs: Number(age) };
    },
    settleSent: (channel, ref, ts) => settleAs(channel, ref, 'sent', ts),
    settleUnsent: (channel, ref) => settleAs(channel, ref, 'unsent'),
    settleDropped: (channel, ref) => settleAs(channel, ref, 'dropped'),
    async pauseLeft(channel) {
      return Math.max(0, await redis.pttl(outboxKey(channel, 'paused')));
    },
    async pauseFor(channel, ms) {
      await redis.set(outboxKey(channel, 'paused'), '1', 'PX', Math.max(1, Math.ceil(ms)));
    },
    channels: () => redis.smembers(channelsKey),
    waiting: (channel) => redis.zcard(outboxKey(channel, 'queue')),
  };
}
