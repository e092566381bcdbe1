import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { shared, web, worker } from '../../src/app/environment.ts';
import { secretNames } from '../../src/app/read-variables.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
/** `CARD_API_ASSUMPTIONS` is added here because it is JSON and read separately. */
const all = [...new Set([...Object.keys({ ...shared, ...web, ...worker }), 'CARD_API_ASSUMPTIONS'])];

/** Variables fixed by the way of running: where a process listens, and where TLS ends. */
const listening = ['HOST', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'ADMIN_HOST', 'ADMIN_PORT'];

/** Variables of what is served on `ADMIN_PORT`, which a platform with one port for each process cannot have. */
const onAdminPort = ['QUEUE_PAGE_PASSWORD', 'QUEUE_PAGE_WRITABLE'];

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, unknown>> }>>;
}
const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
const inCompose = (name: string): string[] => Object.keys(services[name]?.environment ?? {});
const { config } = parse(read('deploy/helm/cardbell/values.yaml')) as { config: object };
const app = JSON.parse(read('app.json')) as {
  env: Readonly<Record<string, { readonly description: string }>>;
};
const secrets: readonly string[] = secretNames;

/** Variables that only a command reads, directly. `NO_COLOR` is a convention of terminals. */
const ofCommands = readdirSync('bin', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...read(`bin/${name}`).matchAll(/process\.env(?:\.|\[')([A-Z_]+)/g)])
  .flatMap(([, name = '']) => (name === 'NO_COLOR' || all.includes(name) ? [] : [name]));

it.each([...new Set(ofCommands)])('%s, which a command reads, is in docs/configure.md and .env.example', (name) => {
  expect(read('docs/configure.md')).toContain(`\`${name}\``);
  expect(read('.env.example')).toMatch(new RegExp(`^#?${name}=`, 'm'));
});

describe.each(all)('the variable %s', (name) => {
  it('is documented in docs/configure.md and listed in .env.example', () => {
    expect(read('docs/configure.md')).toContain(`\`${name}\``);
    expect(read('.env.example')).toMatch(new RegExp(`^#?${name}=`, 'm'));
  });

  it.skipIf(listening.includes(name))('is passed by compose.yaml to the processes that read it', () => {
    // The Redis of Compose provides its URL in a file.
    const given = name === 'REDIS_URL' ? 'REDIS_URL_FILE' : name;
    if (name in { ...shared, ...web }) expect(inCompose('web')).toContain(given);
    if (!(name in web)) expect(inCompose('worker')).toContain(given);
    if (!(name in shared) && !(name in web)) expect(inCompose('web')).not.toContain(name);
    if (name in web) expect(inCompose('worker')).not.toContain(name);
  });

  it.skipIf(listening.includes(name))('can be set in the chart as a value or a secret', () => {
    const isSecret = secrets.includes(name) && name !== 'REDIS_URL';
    if (isSecret) expect(read('deploy/helm/cardbell/values.yaml')).toMatch(new RegExp(`^#.*\\b${name}\\b`, 'm'));
    else expect(Object.keys(config)).toContain(name);
  });

  it.skipIf([...listening, ...onAdminPort].includes(name))('can be set in app.json', () => {
    expect(Object.keys(app.env)).toContain(name);
  });
});

it('app.json offers only what a Procfile platform can have, or says where it cannot', () => {
  expect(Object.keys(app.env).filter((name) => [...listening, ...onAdminPort].includes(name))).toEqual([]);
  const [, ofDisk = ''] =
    /Do not set (.*) on a platform that does not keep/.exec(read('docs/install/procfile.md')) ?? [];
  const names = ofDisk.match(/[A-Z_]{3,}/g) ?? [];
  expect(names).toEqual(['AUDIT_ARCHIVE', 'AUDIT_SINK']);
  for (const name of names) expect(app.env[name]?.description).toMatch(/on a disk that is kept.*, so not on Heroku$/);
});
