import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly profiles?: readonly string[];
}
const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const variablesOf = (name: string): string[] => Object.keys(services[name]?.environment ?? {});

describe('compose.yaml', () => {
  it("keeps each process' secrets from the other", () => {
    expect(variablesOf('web')).not.toContain('CARD_API_TOKEN');
    expect(variablesOf('worker')).not.toContain('WEBHOOK_SHARED_SECRET');
    expect(variablesOf('worker')).not.toContain('SLACK_SIGNING_SECRET');
  });

  it.each(['web', 'worker', 'demo'])('runs %s on a read-only file system without capabilities', (name) => {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('pins every image of others by digest', () => {
    const images = Object.values(services).map(({ image }) => image ?? '');

    for (const image of images.filter((name) => !name.includes('cardbell')))
      expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it('runs a Redis that evicts nothing and writes each change to its disk', () => {
    const command = services['redis']?.command?.join(' ');

    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--appendfsync always');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  it('gives each process a Redis user of its own, which the shipped file has', () => {
    const users = readFileSync('deploy/redis/users.acl', 'utf8');
    for (const name of ['web', 'worker']) {
      const password = `REDIS_${name.toUpperCase()}_PASSWORD`;
      expect(services[name]?.environment?.['REDIS_URL']).toBe(`redis://${name}:\${${password}:-${name}}@redis:6379`);
      expect(services['redis']?.environment).toHaveProperty(password);
      expect(users).toContain(`user ${name} on >${name.toUpperCase()}-PASSWORD `);
    }
    expect(services['redis']?.command?.join(' ')).toContain('--aclfile');
  });

  it('starts proxy and demo only when they are asked for', () => {
    expect(services['proxy']?.profiles).toEqual(['tls']);
    expect(services['demo']?.profiles).toEqual(['demo']);
    expect(services['demo-redis']?.profiles).toEqual(['demo']);
  });
});

describe('Dockerfile', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');

  it('pins its base by digest, runs as a user without a name, under an init process, with a health check', () => {
    expect(dockerfile).toMatch(/^ARG BASE=\S+@sha256:[0-9a-f]{64}$/m);
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["tini"/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  it('copies only what .dockerignore lets in, and what the build needs is let in', () => {
    const letIn = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: string[] };

    expect(letIn).toEqual(expect.arrayContaining([...include, 'package.json', 'package-lock.json']));
    for (const secret of ['.env', '.git', 'test']) expect(letIn).not.toContain(secret);
  });
});
