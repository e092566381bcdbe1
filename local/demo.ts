import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';
import { STORY_RUSH } from '../sandbox/story/day.ts';
import { startWorkspace, type Workspace } from '../workspace/server.ts';
import { type CardCalls, watchCardCalls } from './card-calls.ts';
import {
  approvers,
  channelId,
  demoChannels,
  demoSeed,
  demoUsers,
  HERO_LAST4,
  HERO_MERCHANT,
  heroPurchases,
  userId,
} from './cast.ts';
import { demoCommands, demoEnvironment, demoSecret } from './demo-settings.ts';
import { welcome } from './guide.ts';
import { portOrFree } from './port.ts';
import { answers, type LocalProcess, ProcessDiedError, procfile, startProcess } from './processes.ts';
import { startRedis } from './redis.ts';
import type { Teardown } from './teardown.ts';
import { startTill } from './till.ts';

/** Divides the card service's waits. A webhook still gets a second to be answered. */
const TIME_SCALE = 10;
/** The first question may have to wait for the list of cards. */
const LINK_DEADLINE_MS = 8000;
const DECLINE_DEADLINE_MS = 10_000;

export interface DemoPorts {
  readonly page: number;
  readonly web: number;
  readonly sandbox: number;
  readonly till: number;
}

/** The parts of a running demo. */
export interface Demo {
  readonly page: string;
  readonly till: string;
  readonly web: string;
  /** Base address of the card service's API. */
  readonly sandbox: string;
  /** Temp folder with the logs, deleted at the end. */
  readonly folder: string;
  readonly businessName: string;
  /** The web process or the worker ended unexpectedly. */
  readonly died: Promise<ProcessDiedError>;
  /** Someone has done something, on the page or at the cash register. */
  readonly acted: Promise<void>;
  /**
   * Ana links the card to Sam; then Sam pays and is declined.
   *
   * @returns the address of that decline, or of its channel when it was not posted in time.
   */
  begin(): Promise<string>;
  tellStory(speed: number, signal: AbortSignal, onStep: (time: string, text: string) => void): Promise<void>;
}

/**
 * Starts everything on 127.0.0.1. Everything that must be stopped is added to `teardown`, even if starting fails
 * halfway.
 */
export async function startDemo(ports: DemoPorts, teardown: Teardown): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-demo-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeFolder);
  await teardown.add(removeFolder);

  const redis = await demoRedis(folder, process.env['DEMO_REDIS_URL']);
  await teardown.add(() => redis.stop());

  const [pagePort, webPort, sandboxPort, tillPort] = [
    await portOrFree(ports.page),
    await portOrFree(ports.web),
    await portOrFree(ports.sandbox),
    await portOrFree(ports.till),
  ];
  let act = (): void => {};
  const acted = new Promise<void>((resolve) => {
    act = resolve;
  });
  const web = `http://127.0.0.1:${webPort}`;
  const till = `http://127.0.0.1:${tillPort}/till`;
  const workspace = await startWorkspace({
    port: pagePort,
    botToken: demoSecret.botToken,
    signingSecret: demoSecret.signingSecret,
    appUrl: `${web}/slack/events`,
    teamName: demoSeed.business.name,
    users: demoUsers(Intl.DateTimeFormat().resolvedOptions().timeZone),
    channels: demoChannels(till),
    userGroups: [approvers],
    commands: demoCommands,
    messageShortcuts: [{ callbackId: 'explain_decline', name: 'Explain this decline' }],
    globalShortcuts: [{ callbackId: 'card_command', name: 'Cardbell command' }],
    escapedCommands: ['/card'],
    onAct: act,
  });
  await teardown.add(() => workspace.stop());
  const page = `${workspace.url}?channel=${channelId.declines}&user=${userId.olga}`;

  const cardServiceLog = join(folder, 'card-service.log');
  const note = (entry: object): void => appendFileSync(cardServiceLog, `${JSON.stringify(entry)}\n`);
  const sandbox = await startSandbox({
    port: sandboxPort,
    token: demoSecret.cardApi,
    secret: demoSecret.webhooks,
    webhooks: `${web}/webhooks`,
    redisUrl: redis.url,
    timeScale: TIME_SCALE,
    seed: demoSeed,
    report: (error) => note({ at: new Date(), opsIssue: String(error) }),
  });
  let sandboxStopping: Promise<void> | undefined;
  const stopSandbox = (): Promise<void> => (sandboxStopping ??= sandbox.stop());
  await teardown.add(stopSandbox);
  const calls = watchCardCalls(sandbox, cardServiceLog);
  await teardown.add(() => calls.stop());

  const environment = demoEnvironment({
    redisUrl: redis.url,
    slackApiUrl: workspace.apiUrl,
    webPort,
    cardApiUrl: sandbox.url,
  });
  const processes = startProcesses(folder, environment);
  // Together: web waits for connections that the sandbox keeps open for its next webhook.
  await teardown.add(() => Promise.all([stopSandbox(), ...processes.map((each) => each.stop())]));
  const died = Promise.race(
    processes.map(async (each) => new ProcessDiedError(each.name, await each.ended, each.lastLines())),
  );
  const ready = Promise.all([
    answers(`${web}/readyz`),
    processes.find(({ name }) => name === 'worker')?.printed('worker runs'),
  ]);
  await Promise.race([ready, died.then((error) => Promise.reject(error))]);

  const tillServer = await startTill(tillPort, {
    accounts: () => sandbox.accounts(),
    purchase: (request) => calls.purchase(request),
    rush: (request) => void sandbox.purchase(request),
    last4: HERO_LAST4,
    workspaceUrl: page,
    rushShopsTaken: STORY_RUSH,
    onPaid: act,
  });
  await teardown.add(() => tillServer.stop());
  workspace.say({ user: userId.guide, channel: channelId.general, text: welcome({ workspace: workspace.url, till }) });

  return {
    page,
    till,
    web,
    sandbox: sandbox.url,
    folder,
    businessName: demoSeed.business.name,
    died,
    acted,
    begin: async () => {
      await linkHero(workspace);
      pay(sandbox, calls);
      const decline = await workspace
        .waitForMessage(
          ({ channel, text }) => channel === channelId.declines && text.includes(HERO_MERCHANT),
          DECLINE_DEADLINE_MS,
        )
        .catch(() => undefined);
      return decline === undefined ? page : `${page}&ts=${decline.ts}`;
    },
    tellStory: (speed, signal, onStep) =>
      sandbox.tellStory({
        speed,
        signal,
        onStep({ time, text }) {
          note({ at: new Date(), story: time, text });
          onStep(time, text);
        },
      }),
  };
}

/** Our own Redis, or the one at `givenUrl`, which must be empty and is emptied again. */
async function demoRedis(
  folder: string,
  givenUrl: string | undefined,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if (givenUrl === undefined || givenUrl === '') {
    await mkdir(join(folder, 'redis'));
    return await startRedis({ folder: join(folder, 'redis') });
  }
  const redis = new Redis(givenUrl, { maxRetriesPerRequest: 1, lazyConnect: true });
  // Reported in words below.
  redis.on('error', () => {});
  const keys = await redis.dbsize().catch(() => {
    redis.disconnect();
    throw new Error('DEMO_REDIS_URL: no Redis answers there');
  });
  if (keys > 0) {
    redis.disconnect();
    throw new Error('DEMO_REDIS_URL: expected an empty Redis; the demo would mix its data with what is there');
  }
  return {
    url: givenUrl,
    async stop() {
      await redis.flushdb().catch(() => {});
      redis.disconnect();
    },
  };
}

/** Links the card to Sam, who then gets direct messages about it. The answer says whether it worked. */
async function linkHero(workspace: Workspace): Promise<void> {
  const text = `link ${HERO_LAST4} @sam`;
  await workspace.command({ user: userId.ana, channel: channelId.approvals, command: '/card', text });
  await workspace
    .waitForMessage(({ ephemeralUser }) => ephemeralUser === userId.ana, LINK_DEADLINE_MS)
    .catch(() => undefined);
}

function pay(sandbox: Pick<Sandbox, 'accounts'>, calls: CardCalls): void {
  const sam = sandbox
    .accounts()
    .find(({ CardList }) => CardList.some(({ Last4CardNumber }) => Last4CardNumber === HERO_LAST4));
  if (sam === undefined) throw new Error(`no card ends in ${HERO_LAST4}`);
  for (const purchase of heroPurchases) calls.purchase({ AcctId: sam.AcctId, ...purchase });
}

function startProcesses(folder: string, environment: ReturnType<typeof demoEnvironment>): LocalProcess[] {
  const root = packageRoot(import.meta.dirname);
  const commands = procfile(root);
  return (['web', 'worker'] as const).map((name) =>
    startProcess({
      name,
      command: commands.get(name) ?? [],
      cwd: root,
      env: environment[name],
      logFile: join(folder, `${name}.log`),
    }),
  );
}

/** The folder with the Procfile, from here upwards: compiled files are one folder deeper. */
function packageRoot(from: string): string {
  if (existsSync(join(from, 'Procfile'))) return from;
  if (dirname(from) === from) throw new Error('there is no Procfile above the demo');
  return packageRoot(dirname(from));
}
