import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findProgram } from '../../local/system-package.ts';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
}
const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const setpriv = findProgram(['setpriv']);
const variablesOf = (name: string): string[] => Object.keys(services[name]?.environment ?? {});

describe('compose.yaml', () => {
  it('gives each process only its own secrets', () => {
    expect(variablesOf('web')).not.toContain('CARD_API_TOKEN');
    expect(variablesOf('worker')).not.toContain('WEBHOOK_SHARED_SECRET');
    expect(variablesOf('worker')).not.toContain('SLACK_SIGNING_SECRET');
  });

  it.each(['web', 'worker'])('passes to %s the variables of OpenTelemetry that the docs name', (name) => {
    const named = ['operations', 'configure'].flatMap(
      (page) => readFileSync(`docs/${page}.md`, 'utf8').match(/\bOTEL_\w*[A-Z](?=[`=])/g) ?? [],
    );

    expect(named.length).toBeGreaterThan(5);
    expect(variablesOf(name)).toEqual(expect.arrayContaining(named));
    // `OTEL_BSP_*` in the docs.
    expect(variablesOf(name).filter((each) => each.startsWith('OTEL_BSP_'))).toHaveLength(4);
  });

  it.each(['web', 'worker', 'demo'])('runs %s on a read-only file system without capabilities', (name) => {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('pins every third-party image by digest', () => {
    const images = Object.values(services).map(({ image }) => image ?? '');

    for (const image of images.filter((name) => !name.includes('cardbell')))
      expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it('runs a Redis that evicts nothing and writes each change to disk', () => {
    const command = services['redis']?.command?.join(' ');

    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--appendfsync always');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  it('gives each process a separate Redis user from the shipped file', () => {
    const users = readFileSync('deploy/redis/users.acl', 'utf8');
    for (const name of ['web', 'worker']) {
      const other = name === 'web' ? 'worker' : 'web';
      expect(services[name]?.environment?.['REDIS_URL_FILE']).toBe('/run/redis/url');
      expect(services[name]?.volumes).toContain(`redis-${name}:/run/redis:ro`);
      expect(services[name]?.volumes?.join()).not.toContain(other);
      expect(services['redis']?.volumes).toContain(`redis-${name}:/run/redis/${name}`);
      expect(users).toContain(`user ${name} on >${name.toUpperCase()}-PASSWORD `);
    }
    expect(services['redis']?.command?.join(' ')).toContain('--aclfile /tmp/users.acl');
  });

  it('keeps what the worker writes to files, for all workers, and away from web', () => {
    expect(services['worker']?.volumes).toContain('audit:/var/lib/cardbell');
    expect(services['web']?.volumes).toEqual(['redis-web:/run/redis:ro']);
    // Docker gives a new volume the owner that the folder has in the image.
    expect(readFileSync('Dockerfile', 'utf8')).toMatch(
      /^RUN install -d -o 10001 -g 10001 -m 700 \/var\/lib\/cardbell$/m,
    );
  });

  it('starts without required variables and without well-known passwords', () => {
    expect(readFileSync('compose.yaml', 'utf8')).not.toMatch(/PASSWORD:?-|:\?/);
  });

  it('starts proxy and demo only on request', () => {
    expect(services['proxy']?.profiles).toEqual(['tls']);
    expect(services['demo']?.profiles).toEqual(['demo']);
    expect(services['demo-redis']?.profiles).toEqual(['demo']);
  });
});

describe('deploy/redis/with-users.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardbell-redis-users-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  for (const name of ['web', 'worker']) mkdirSync(join(folder, name));

  /** Runs the script like Compose, with a no-op command in place of Redis. @returns the users and the URLs. */
  const start = (more: Record<string, string> = {}): { users: string; urls: string[] } => {
    const users = join(folder, 'users.acl');
    const env = { PATH: process.env['PATH'], ADDRESSES: folder, USERS: users, ...more };
    execFileSync('sh', ['deploy/redis/with-users.sh', 'true'], { env });
    const urls = ['web', 'worker'].map((name) => readFileSync(join(folder, name, 'url'), 'utf8').trim());
    return { users: readFileSync(users, 'utf8'), urls };
  };

  it('creates a password for each process on the first start, and keeps it on the next', () => {
    const first = start();
    const again = start();
    const passwords = first.urls.map((url) => new URL(url).password);

    expect(first.urls).toEqual([
      expect.stringMatching(/^redis:\/\/web:[0-9a-f]{48}@redis:6379$/),
      expect.stringMatching(/^redis:\/\/worker:[0-9a-f]{48}@redis:6379$/),
    ]);
    expect(new Set(passwords).size).toBe(2);
    expect(first.users).toContain(`user web on >${passwords[0]} `);
    expect(first.users).toContain(`user worker on >${passwords[1]} `);
    expect(first.users).not.toContain('-PASSWORD');
    expect(again).toEqual(first);
  });

  it('gives both users the keys of every program in PROGRAMS, with the same rights as to those of the first', () => {
    const [, web, worker] = start({ PROGRAMS: 'eu, uk' }).users.split('\n');
    const [, webAlone, workerAlone] = start().users.split('\n');

    expect(worker).toContain(' ~{cardbell:* ~eu:{cardbell:* ~uk:{cardbell:* ');
    expect(web).toContain(' ~{cardbell:in}:* ~eu:{cardbell:in}:* ~uk:{cardbell:in}:* ');
    expect(web).toContain(' %R~{cardbell:dir}:* %R~eu:{cardbell:dir}:* %R~uk:{cardbell:dir}:* ');
    expect([web, worker].map((user) => user?.replaceAll(/ (?:%R)?~(?:eu|uk):\S+/g, ''))).toEqual([
      webAlone,
      workerAlone,
    ]);
    expect(webAlone).not.toMatch(/~(?!\{)/);
  });

  it.skipIf(process.getuid?.() !== 0 || setpriv === undefined)(
    'lets the users of Redis, web and worker read its files, although the image starts it as root with umask 077',
    () => {
      const own = join(folder, 'image');
      const [web, worker] = [join(own, 'web'), join(own, 'worker')];
      for (const path of [own, web, worker]) mkdirSync(path);
      for (const path of [folder, own, web, worker]) chmodSync(path, 0o755);
      const users = join(own, 'users.acl');
      const asOther = [setpriv ?? '', '--reuid=65534', '--regid=65534', '--clear-groups', 'cat'];
      const read = [...asOther, users, join(web, 'url'), join(worker, 'url')];
      const env = { PATH: process.env['PATH'], ADDRESSES: own, USERS: users };

      const script = 'umask 077 && exec sh deploy/redis/with-users.sh "$@"';
      const text = execFileSync('sh', ['-c', script, 'sh', ...read], { env, encoding: 'utf8' });

      expect(text.match(/^user \w+|^redis:\/\/\w+/gm)).toEqual([
        'user default',
        'user web',
        'user worker',
        'redis://web',
        'redis://worker',
      ]);
    },
  );
});

describe('Dockerfile', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');

  it('pins its base by digest, and runs as a numeric user under an init process with a health check', () => {
    expect(dockerfile).toMatch(/^ARG BASE=\S+@sha256:[0-9a-f]{64}$/m);
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["tini"/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  it('copies only what .dockerignore allows, which includes everything the build needs', () => {
    const letIn = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: string[] };

    expect(letIn).toEqual(expect.arrayContaining([...include, 'package.json', 'package-lock.json']));
    for (const secret of ['.env', '.git', 'test']) expect(letIn).not.toContain(secret);
  });
});
