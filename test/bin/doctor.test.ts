import { describe, expect, it } from 'vitest';
import type { Finding } from '../../bin/doctor/report.ts';
import { runCommand } from '../support/run-command.ts';

const shared = {
  REDIS_URL: 'redis://127.0.0.1:1',
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  SLACK_BOT_TOKEN: 'xoxb-1',
  ALERTS_CHANNEL: 'C0ALERTS',
};
const ofWeb = { ...shared, SLACK_SIGNING_SECRET: 'a-secret', WEBHOOK_SHARED_SECRET: 'a-secret', PORT: '1' };
const ofWorker = { ...shared, CARD_API_URL: 'http://127.0.0.1:1/v4', CARD_API_TOKEN: 'a-token' };

/** What the doctor says about the variables, and about the process that may be elsewhere. */
async function variables(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { out } = await runCommand('doctor', ['--json'], env);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return findings
    .filter(({ area, what }) => area === 'Configuration' || what.startsWith('not checked here'))
    .filter(({ what }) => !/http:|^nobody may act/.test(what))
    .map(({ level, what, todo }) => `${level}: ${what}${todo === null ? '' : ` → ${todo}`}`);
}

const webElsewhere = [
  'note: those of web are not here (SLACK_SIGNING_SECRET, SLACK_APP_TOKEN, WEBHOOK_SHARED_SECRET): run the doctor where web runs, or set them if that is here',
  'ok: the variables of worker are complete',
  'note: not checked here: run the doctor where web runs',
];
const workerElsewhere = [
  'ok: the variables of web are complete',
  'note: those of worker are not here (CARD_API_TOKEN): run the doctor where worker runs, or set them if that is here',
  'note: not checked here: run the doctor where worker runs',
];

describe('the doctor takes a process for one that runs elsewhere', () => {
  it.concurrent.each([
    ['web', ofWorker, webElsewhere],
    ['worker', ofWeb, workerElsewhere],
    [
      'worker, also where web has the address of the card API',
      { ...ofWeb, CARD_API_URL: 'https://h/v4' },
      workerElsewhere,
    ],
  ])('if none of its secrets is there: %s', async (_which, env, said) => {
    expect(await variables(env)).toEqual(said);
  });
});

describe('the doctor takes a process for one that runs here', () => {
  it.concurrent('if its secrets are still to be filled in: web', async () => {
    const said = await variables({ ...ofWorker, SLACK_SIGNING_SECRET: '', WEBHOOK_SHARED_SECRET: '' });
    const todo =
      '→ set it for web; where only worker runs, remove its line instead; .env.example explains every variable';

    expect(said).toEqual([
      'ok: the variables of worker are complete',
      expect.stringMatching(new RegExp(`^fix: WEBHOOK_SHARED_SECRET: expected .* ${todo}$`)),
      expect.stringMatching(new RegExp(`^fix: SLACK_SIGNING_SECRET: expected .* ${todo}$`)),
    ]);
  });

  it.concurrent('if its secret is still to be filled in: worker', async () => {
    const said = await variables({ ...ofWeb, CARD_API_URL: 'https://h/v4', CARD_API_TOKEN: ' ' });

    expect(said).toEqual([
      'ok: the variables of web are complete',
      'fix: CARD_API_TOKEN: expected the token of the card API → set it for worker; where only web runs, remove its line instead; .env.example explains every variable',
    ]);
  });

  it.concurrent('if the address of the card API is there without a secret: worker', async () => {
    const [note, ...said] = await variables({ ...shared, CARD_API_URL: 'https://h/v4' });

    expect(note).toBe(webElsewhere[0]);
    expect(said).toEqual([
      'fix: CARD_API_TOKEN: expected the token of the card API → set it for worker; .env.example explains every variable',
      webElsewhere[2],
    ]);
  });

  it.concurrent('if it needs another of its secrets, too', async () => {
    const { WEBHOOK_SHARED_SECRET: _, ...others } = ofWeb;

    expect(await variables({ ...ofWorker, ...others })).toEqual([
      'ok: the variables of worker are complete',
      'fix: WEBHOOK_SHARED_SECRET: expected the shared secret of the card service → set it for web; .env.example explains every variable',
    ]);
  });
});
