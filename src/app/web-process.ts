import { answerTooMany, answerUnknown } from '../../handlers/dispatch/answer-unknown.ts';
import { registerListeners } from '../../handlers/index.ts';
import { unavailable } from '../../templates/policy/not-permitted.ts';
import { createChosenPrograms } from '../app-home/chosen-program.ts';
import { answerJson } from '../core/answer-json.ts';
import { type InstallationScope, installationScope } from '../core/installation.ts';
import type { Log } from '../core/log.ts';
import { connectFailFast } from '../core/redis.ts';
import { span } from '../core/trace.ts';
import { createRespond, type Respond } from '../slack/answer.ts';
import { createSlackApp } from '../slack/app.ts';
import { createSlack, type Slack } from '../slack/client.ts';
import { createPersonRate } from '../slack/person-rate.ts';
import type { WhichProgram } from '../slack/several-programs.ts';
import { createHttpServer } from '../webhooks/http-server.ts';
import { receiveWebhook } from '../webhooks/receive-webhook.ts';
import { createPostEphemeral } from './compose-web.ts';
import type { WebConfig } from './config.ts';
import type { Configs } from './programs.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { watchTlsFiles } from './tls-files.ts';
import { openWebProgram, type WebProgram } from './web-program.ts';

interface OpenProgram extends WebProgram {
  readonly name: string;
  readonly command: string;
  readonly inside: InstallationScope;
}

/**
 * The process that faces the internet: receives webhooks and Slack's requests, and writes redacted events and permitted
 * actions to Redis.
 *
 * @param configs of each card program, the first one first. Shared settings are read from that one.
 */
export async function startWeb(
  configs: Configs<WebConfig>,
  log: Log,
  admin: Admin,
): Promise<RunningProcess & { port: number }> {
  const [config] = configs;
  const { metrics } = admin;
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl, measure: metrics.slackCalled });
  const respond = createRespond();
  const programs: OpenProgram[] = [];
  const showProgram = async (userId: string, name: string): Promise<void> => {
    await chosen?.choose(userId, name);
    await programs.find((program) => program.name === name)?.listeners.renderHome(userId, true);
  };
  for (const its of configs) {
    // A single program's settings apply to the entire process.
    const inside: InstallationScope = configs.length === 1 ? (run) => run() : installationScope(its);
    const own = its.program === '' ? log : log.child({ program: its.program });
    const opened = await inside(() => openWebProgram(its, { slack, respond, showProgram, log: own, admin }));
    programs.push({ ...opened, name: its.program, command: its.command, inside });
  }
  // In the first program's keys, whichever program this process serves.
  const shared =
    config.programs.length === 1 ? null : connectFailFast({ ...config.redis, keyPrefix: '', log, name: 'web-home' });
  const chosen = shared === null ? null : createChosenPrograms(shared, config.programs);
  const slackApp = openSlackApp(config, {
    programs,
    slack,
    respond,
    whichProgram: { all: config.programs, chosen: async (userId) => (await chosen?.of(userId)) ?? '' },
    isReady,
    log,
  });
  admin.watch({ problems: async () => (slackApp.takesSlack() ? [] : ['the socket to Slack is not open']) });

  await Promise.all(programs.map((program) => program.connected()));
  const port = await slackApp.start({ host: config.host, port: config.port, tls: config.tls });
  for (const program of programs) program.listens();
  const unwatchTls = config.tls === null ? null : watchTlsFiles(config.tls, { use: slackApp.useTls, log });
  log.info({ host: config.host, port, tls: config.tls !== null }, 'web listens');

  return {
    port,
    async stop() {
      for (const program of programs) program.beforeStop();
      unwatchTls?.();
      await slackApp.stop();
      await Promise.all(programs.map((program) => program.stop()));
      shared?.disconnect();
    },
  };

  async function isReady(): Promise<boolean> {
    const problems = await Promise.all(programs.map((program) => program.problems()));
    return slackApp.takesSlack() && problems.every((of) => of.length === 0);
  }
}

interface SlackParts {
  readonly programs: readonly OpenProgram[];
  readonly slack: Slack;
  readonly respond: Respond;
  readonly whichProgram: WhichProgram;
  readonly isReady: () => Promise<boolean>;
  readonly log: Log;
}

function openSlackApp(config: WebConfig, { programs, slack, respond, whichProgram, isReady, log }: SlackParts) {
  return createSlackApp({
    botToken: config.slackBotToken,
    signingSecret: config.slackSigningSecret,
    appToken: config.slackAppToken,
    apiUrl: config.slackApiUrl,
    log,
    programs: programs.map(({ name, command, inside, listeners }) => ({
      name,
      command,
      inside,
      register: (app) => registerListeners(app, listeners),
    })),
    whichProgram,
    // A button or command failed after it was acknowledged: do not leave the person waiting for an answer.
    async apologise(body) {
      if (!('response_url' in body) || typeof body.response_url !== 'string') return;
      await respond(body.response_url, unavailable()).catch((error: unknown) => {
        log.error({ err: error }, 'could not deliver an answer');
      });
    },
    answerUnknown: answerUnknown({ respond, postEphemeral: createPostEphemeral(slack), log }),
    mayAsk: createPersonRate(),
    answerTooMany: answerTooMany(log),
    routes: (otherwise) =>
      createHttpServer(
        {
          async webhook(name, kind, request, response, expectsContinue) {
            const program = programs.find((one) => one.name === name);
            if (program === undefined) {
              answerJson(response, 404, { error: 'unknown card program' });
              return;
            }
            await program.inside(() =>
              span('webhook', { kind: 'server' }, () =>
                receiveWebhook(kind, request, response, program.webhooks, expectsContinue),
              ),
            );
          },
          isReady,
          log,
        },
        otherwise,
      ),
  });
}
