import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { checkWeb } from '../../../bin/doctor/check-web.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { listen } from '../../../local/port.ts';
import type { WebConfig } from '../../../src/app/config.ts';

let server: Server | undefined;
afterEach(() => void server?.close());
const tlsFile = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));

async function findings(publicUrl: string | null) {
  const [cert, key] = [tlsFile('cert.pem'), tlsFile('key.pem')];
  server = createServer({ cert, key }, (_request, response) => response.end());
  const port = await listen(server);
  const config = { host: '0.0.0.0', port, tls: {}, program: '', webhookSecrets: [], proxy: null };
  const report = createReport(() => {});
  await checkWeb(config as unknown as WebConfig, publicUrl?.replace('PORT', `${port}`) ?? null, report, 5000);
  return report.findings.slice(publicUrl === null ? 1 : 0).map(({ level, what, todo }) => ({ level, what, todo }));
}

describe('the doctor, when web serves a certificate that does not verify,', () => {
  it('says at its local address that web answers, and how to check the rest', async () => {
    expect(await findings(null)).toEqual([
      {
        level: 'note',
        what: expect.stringMatching(
          /^web answers at https:\/\/127\.0\.0\.1:\d+, but its certificate does not verify for this address \(\w+\): use --url with the address that the outside uses$/,
        ),
        todo: null,
      },
    ]);
  });

  it('says at the public address that the card service and Slack will not accept it', async () => {
    expect(await findings('https://localhost:PORT')).toEqual([
      {
        level: 'fix',
        what: expect.stringMatching(/^the certificate at https:\/\/localhost:\d+ does not verify \(\w+\)$/),
        todo: expect.stringContaining('TLS_CERT_FILE'),
      },
    ]);
  });
});

it.each([
  ['over HTTP, whose requests it answers with 404: to be fixed', undefined, [['fix', expect.stringContaining('404')]]],
  [
    'over Socket Mode, although a signing secret is set: nothing to fix',
    'xapp-1',
    [['note', expect.stringContaining('Socket Mode')]],
  ],
])('the doctor, when Slack reaches web %s', async (_how, slackAppToken, expected) => {
  server = createPlainServer((_request, response) => response.writeHead(404).end());
  const port = await listen(server);
  const config = { host: '127.0.0.1', port, tls: null, program: '', webhookSecrets: [], proxy: null };
  const report = createReport(() => {});

  const slack = { slackSigningSecret: 'signing-secret', slackAppToken };
  await checkWeb({ ...config, ...slack } as unknown as WebConfig, null, report, 5000);

  const found = report.findings
    .filter(({ what }) => /Slack/.test(what))
    .filter(({ what }) => !what.includes('tried at'));
  expect(found.map(({ level, what }) => [level, what])).toEqual(expected);
});

it('the doctor, when web does not run on this machine, says how to check it where it runs', async () => {
  server = createPlainServer();
  const port = await listen(server);
  server.close();
  const report = createReport(() => {});

  const config = { host: '127.0.0.1', port, tls: null, program: '', webhookSecrets: [], proxy: null };
  await checkWeb(config as unknown as WebConfig, null, report, 5000);

  expect(report.findings.at(-1)).toMatchObject({
    level: 'note',
    what: `nothing answers at http://127.0.0.1:${port}: if web should run on this machine, start it; otherwise run the doctor where web runs, or give it --url`,
  });
});
