import { randomUUID } from 'node:crypto';
import { listen, shut } from '../local/port.ts';
import { createFaults, type Fault } from './api/faults.ts';
import { type ApiCall, createHttpServer } from './api/http-server.ts';
import { createRateLimit } from './api/rate-limit.ts';
import { type Assumptions, assumptionsWith } from './assumptions.ts';
import { createDataFile, readDataFile } from './data-file.ts';
import { releaseExpiredHolds, wouldApprove } from './engine/purchase.ts';
import type { PurchaseRequest } from './engine/purchase-request.ts';
import { type SandboxAccount, sandboxAccount } from './sandbox-account.ts';
import { buildState } from './seed/build-state.ts';
import type { SeedData } from './seed/seed-data.ts';
import { SMALL_SEED, STANDARD_SEED } from './seed/standard.ts';
import { createSimulation, doLaterWork, type Simulation } from './simulation.ts';
import { createWorld, takeId } from './state/world.ts';
import { type StoryOptions, tellStory } from './story/tell-story.ts';
import { createDeliveries } from './webhook/deliveries.ts';
import { createJobQueue, type DeliveryJob, type LaterJob } from './webhook/job-queue.ts';
import { WEBHOOK_KINDS, type WebhookKind } from './webhook/kind.ts';
import type { DeliveryRecord } from './webhook/outbox.ts';
import { createSender } from './webhook/sender.ts';

export type { Fault } from './api/faults.ts';
export type { ApiCall } from './api/http-server.ts';
export type { SandboxAccount } from './sandbox-account.ts';
export type { WebhookKind } from './webhook/kind.ts';

export interface SandboxOptions {
  /** 0 or omitted: a free port. Always on 127.0.0.1. */
  readonly port?: number;
  /** The API token that the service has issued. */
  readonly token: string;
  /** Base of the receivers: each kind goes to `WEBHOOKS/KIND`. */
  readonly webhooks?: string;
  /** URLs of single kinds, which override `webhooks`. A kind without a URL is not sent. */
  readonly webhookUrls?: Partial<Record<WebhookKind, string>>;
  /** The shared secret of the webhooks. */
  readonly secret: string;
  readonly redisUrl: string;
  /** Divides every wait of the service by this. */
  readonly timeScale?: number;
  readonly seed?: 'standard' | 'small' | SeedData;
  /** Keeps the state in this file; in memory when omitted. */
  readonly dataFile?: string;
  /** Enforces the limits of 2018. */
  readonly rateLimits?: boolean;
  readonly webhookVersion?: string;
  readonly timeoutSeconds?: 10 | 20;
  /** Whether the list of accounts includes the newer fields. */
  readonly listShape?: 'newer' | 'older';
  /** Overrides assumptions by name: see assumptions.ts. */
  readonly assumptions?: Partial<Assumptions>;
  /** Called with the sandbox's internal errors. Ignored by default. */
  readonly report?: (error: unknown) => void;
}

export interface Sandbox extends Simulation {
  /** Base address of the API, `http://127.0.0.1:PORT/v4`. */
  readonly url: string;
  /** Base address of the simulation, `http://127.0.0.1:PORT/simulate`. */
  readonly simulateUrl: string;
  /** Current accounts. Each call returns a fresh copy. */
  accounts(): SandboxAccount[];
  /** Whether a purchase would be approved now. Nothing is made of it. */
  wouldApprove(request: PurchaseRequest): boolean;
  /** Every API call received, oldest first. */
  readonly calls: readonly ApiCall[];
  /** Every attempt to deliver a webhook, oldest first. */
  readonly deliveries: readonly DeliveryRecord[];
  readonly faults: { add(fault: Fault): void; clear(): void };
  /** Webhooks neither accepted nor given up yet. */
  pendingWebhooks(): number;
  /** A day in the life of the program. */
  tellStory(options: StoryOptions): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the sandbox of the card program service on loopback. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { timeScale = 1, report = () => {} } = options;
  const now = () => new Date();
  const assume = assumptionsWith(options.assumptions);
  const kept = options.dataFile === undefined ? undefined : await readDataFile(options.dataFile);
  const state = kept ?? buildState(seedOf(options.seed), assume, now());
  const dataFile = options.dataFile === undefined ? undefined : createDataFile(options.dataFile, state, report);
  const urlOf = (kind: WebhookKind): string | undefined =>
    options.webhookUrls?.[kind] ?? baseUrl(options.webhooks, kind);

  const version = options.webhookVersion ?? assume.webhookVersion;
  const timeoutMs = Math.max(assume.timeoutFloorMs, ((options.timeoutSeconds ?? 10) * 1000) / timeScale);
  const send = createSender({ secret: options.secret, version, timeoutMs });
  const deliveryJobs = createJobQueue<DeliveryJob>({
    redisUrl: options.redisUrl,
    process: (job) => deliveries.attempt(job.deliveryId),
    onError: report,
  });
  // A queue of its own: orders are made even while no receiver answers.
  const laterJobs = createJobQueue<LaterJob>({
    redisUrl: options.redisUrl,
    async process(job) {
      doLaterWork(world, job.type, job.data);
      dataFile?.changed();
    },
    onError: report,
  });
  const closeJobs = () => Promise.all([deliveryJobs.close(), laterJobs.close()]);
  const deliveries = createDeliveries({
    urlOf,
    send,
    version,
    retrySeconds: assume.retrySeconds,
    timeScale,
    now,
    nextTick: () => takeId({ state }, 'callback'),
    enqueue: (id, deliveryId, delayMs) => deliveryJobs.add(id, { type: 'deliver', deliveryId }, delayMs),
    onError: report,
  });
  const world = createWorld(state, {
    assume,
    timeScale,
    now,
    emit: (...webhook) => {
      deliveries.emit(...webhook);
      // Every announcement means that something has changed.
      dataFile?.changed();
    },
    later: (type, data, seconds) =>
      void laterJobs.add(`${type}-${randomUUID()}`, { type, data }, (seconds * 1000) / timeScale).catch(report),
  });
  // Pending orders from a previous run.
  for (const { orderId, cards } of state.orders) {
    if (cards.some(({ status }) => status === 'pending'))
      world.later('process-order', { orderId }, assume.orderProcessingSeconds);
  }

  const simulation = createSimulation(world, deliveries);
  const faults = createFaults();
  const calls: ApiCall[] = [];
  const server = createHttpServer({
    world,
    simulation,
    faults,
    calls,
    report,
    token: options.token,
    options: { listShape: options.listShape ?? 'newer', urlOfVirtualCard: urlOf('virtual-card') },
    countCall: options.rateLimits === true ? createRateLimit(assume, timeScale) : () => {},
    changed: () => dataFile?.changed(),
  });
  const port = await listen(server, options.port).catch(async (error: unknown) => {
    await closeJobs();
    throw error;
  });
  const root = `http://127.0.0.1:${port}`;

  return {
    ...simulation,
    url: `${root}/v4`,
    simulateUrl: `${root}/simulate`,
    calls,
    faults,
    deliveries: deliveries.records,
    pendingWebhooks: deliveries.pending,
    accounts() {
      releaseExpiredHolds(world);
      return state.accounts.map((account) => sandboxAccount(world, account));
    },
    wouldApprove: (request) => wouldApprove(world, request),
    tellStory: (story) => tellStory({ world, simulation }, story),
    async stop() {
      await shut(server);
      await closeJobs();
      send.close();
      await dataFile?.close();
    },
  };
}

function seedOf(seed: SandboxOptions['seed'] = 'standard'): SeedData {
  if (seed === 'standard') return STANDARD_SEED;
  return seed === 'small' ? SMALL_SEED : seed;
}

function baseUrl(base: string | undefined, kind: WebhookKind): string | undefined {
  if (base === undefined || !WEBHOOK_KINDS.includes(kind)) return undefined;
  return `${base.replace(/\/+$/, '')}/${kind}`;
}
