import { z } from 'zod';
import type { Alert } from './alert/alert.ts';
import { SlackError } from './errors.ts';
import type { Slack } from './slack/client.ts';
import type { Message, MessageRef } from './slack/message.ts';
import type { Alerts } from './store/alerts.ts';
import { type Claims, isClaimId } from './store/claims.ts';
import type { Leases } from './store/leases.ts';
import type { WithLock } from './store/lock.ts';
import type { Outbox } from './store/outbox.ts';
import type { OutboxEntry, Sending } from './store/outbox-entry.ts';
import type { Requests } from './store/requests.ts';
import type { Threads } from './store/threads.ts';
import type { TellOps } from './tell-ops.ts';
import * as trouble from './trouble.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'findByRef'>;
  readonly alerts: Alerts;
  readonly requests: Requests;
  readonly claims: Claims;
  readonly leases: Leases;
  readonly outbox: Outbox;
  readonly threads: Threads;
  readonly fallbackChannel: string;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly updateClaim: (claimId: string) => Promise<void>;
  readonly updateLease: (leaseId: string) => Promise<void>;
  readonly withLock: WithLock;
  readonly tellOps: TellOps;
  /** An alert as its readers in a channel may see it; null when they are not told of it. */
  readonly renderAlert: (alert: Alert, to: { channel: string; audience: 'team' | 'holder' }) => Promise<Message | null>;
}

/** A stored shape that does not parse, or a template that stumbles over it; not Redis or Slack being away. */
function isFaultOfOurs(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError || error instanceof TypeError;
}

/** The thread's first message is gone. https://docs.slack.dev/reference/methods/conversations.replies */
function isWithoutThread({ slackError }: SlackError): boolean {
  return /^(?:thread_not_found|invalid_thread_ts|invalid_ts)/.test(slackError);
}

function withoutThread(error: unknown): null {
  if (error instanceof SlackError && isWithoutThread(error)) return null;
  throw error;
}

/** What `flushOutbox` does with entries: how they look, where they stand, where they go when they cannot stay. */
export function createPoster(deps: Deps) {
  const { slack, alerts, requests, leases, outbox, tellOps } = deps;

  return {
    /** What belongs to a story answers its first message here. */
    async post(channel: string, message: Message, ref: string, entries: readonly OutboxEntry[]): Promise<MessageRef> {
      const root = await rootOf(channel, entries);
      try {
        const [first] = entries;
        const isBroadcast = first?.kind === 'alert' && first.broadcast;
        return await slack.post(channel, message, ref, root === null ? null : { ts: root, isBroadcast });
      } catch (error) {
        // Somebody deleted the first message: this one stands by itself.
        if (root === null || !(error instanceof SlackError) || !isWithoutThread(error)) throw error;
        return await slack.post(channel, message, ref);
      }
    },

    async findByRef(channel: string, { ref, startedAt }: Sending, entries: readonly OutboxEntry[]) {
      const root = await rootOf(channel, entries);
      const inThread = root === null ? null : await slack.findByRef(channel, ref, startedAt, root).catch(withoutThread);
      return inThread ?? (await slack.findByRef(channel, ref, startedAt));
    },

    async render([entry]: readonly OutboxEntry[], channel: string): Promise<Message | null> {
      if (entry === undefined) return null;
      if (entry.kind === 'notice') return entry.message;
      try {
        const stored = await alerts.get(entry.alertId);
        return stored === null ? null : await deps.renderAlert(stored.alert, { channel, audience: entry.audience });
      } catch (error) {
        if (!isFaultOfOurs(error)) throw error;
        // One alert that cannot be drawn (kept by another version) must not hold back the whole channel.
        await tellOps(trouble.cannotDraw(entry.alertId));
        return { text: `An alert could not be shown. It is kept as ${entry.alertId}.`, blocks: [] };
      }
    },

    async posted(entries: readonly OutboxEntry[], ref: MessageRef): Promise<void> {
      for (const entry of entries) {
        if (entry.kind === 'alert') {
          await alerts.addRef(entry.alertId, { ...ref, audience: entry.audience });
          if (entry.threadId !== null) await deps.threads.setRoot(ref.channel, entry.threadId, ref.ts);
        } else if (entry.requestId !== null && isClaimId(entry.requestId)) await placeClaim(entry.requestId, ref);
        else if (entry.requestId?.startsWith('req_') === true) await placeRequest(entry.requestId, ref);
        else if (entry.requestId !== null) await placeLease(entry.requestId, ref);
      }
    },

    async redirect(entries: readonly OutboxEntry[], channel: string, error: SlackError): Promise<boolean> {
      if (channel === deps.fallbackChannel) return false;
      // What is meant for one person goes nowhere else.
      const others = entries.filter(({ audience }) => audience !== 'holder');
      if (others.length === 0) {
        await tellOps(trouble.personUnreachable(channel, error));
        return true;
      }
      for (const entry of others) await outbox.put(deps.fallbackChannel, entry);
      await deps.wakeOutbox(deps.fallbackChannel);
      await tellOps(trouble.channelUnusable(channel, error));
      return true;
    },

    async refused(entries: readonly OutboxEntry[], channel: string, error: SlackError): Promise<void> {
      for (const entry of entries) {
        if (entry.id.endsWith('-plain')) continue;
        const message = await this.render([entry], channel);
        if (message === null) continue;
        const plain = { text: message.text.slice(0, 3000), blocks: [] };
        await outbox.put(channel, { kind: 'notice', id: `${entry.id}-plain`, message: plain, requestId: null });
      }
      await deps.wakeOutbox(channel);
      await tellOps(trouble.messageRefused(channel, error));
    },
  };

  async function rootOf(channel: string, entries: readonly OutboxEntry[]): Promise<string | null> {
    const [only] = entries;
    if (entries.length !== 1 || only?.kind !== 'alert' || only.threadId === null) return null;
    return await deps.threads.rootOf(channel, only.threadId);
  }

  async function placeClaim(claimId: string, ref: MessageRef): Promise<void> {
    await deps.withLock(`claim:${claimId}`, async () => {
      const claim = await deps.claims.get(claimId);
      if (claim === null) return;
      await deps.claims.save({ ...claim, ref });
      if (claim.state !== 'open') await deps.updateClaim(claimId);
    });
  }

  /** Under the request's lock: whoever presses its button this very moment must not be overwritten. */
  async function placeRequest(requestId: string, ref: MessageRef): Promise<void> {
    await deps.withLock(`request:${requestId}`, async () => {
      const request = await requests.get(requestId);
      if (request === null) return;
      await requests.save({ ...request, ref });
      // Decided between the drawing and now: the buttons must not stay.
      if (request.state !== 'open') await deps.updateRequest(requestId);
    });
  }

  async function placeLease(leaseId: string, ref: MessageRef): Promise<void> {
    const found = await leases.get(leaseId);
    if (found === null) return;
    await deps.withLock(`account:${found.acctId}`, async () => {
      const lease = await leases.get(leaseId);
      if (lease === null || lease.refs.some(({ ts }) => ts === ref.ts)) return;
      await leases.save({ ...lease, refs: [...lease.refs, ref] });
      // It may have ended between the drawing and now.
      await deps.updateLease(leaseId);
    });
  }
}
