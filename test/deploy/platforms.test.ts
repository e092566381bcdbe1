import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { webConfig, workerConfig } from '../../src/app/config.ts';
import { shared, web, worker } from '../../src/app/environment.ts';
import { ConfigError } from '../../src/core/errors.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** Variables without which a process refuses to start. Slack's side may be over Socket Mode. */
function required(config: (env: Record<string, string>) => unknown): string[] {
  try {
    config({ SLACK_APP_TOKEN: 'xapp-1-A1-1-a' });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.split(':')[0] ?? '');
  }
  return [];
}

describe('app.json', () => {
  const app = JSON.parse(read('app.json')) as {
    env: Record<string, { required?: boolean }>;
    formation: Record<string, unknown>;
  };

  it('asks for every required variable, and for no unknown one', () => {
    const asked = Object.entries(app.env).flatMap(([name, { required: isRequired }]) =>
      isRequired === false ? [] : name,
    );

    expect(asked.toSorted()).toEqual([...new Set([...required(webConfig), ...required(workerConfig)])].toSorted());
    const known = [...Object.keys({ ...shared, ...web, ...worker }), 'CARD_API_ASSUMPTIONS'];
    expect(known).toEqual(expect.arrayContaining(Object.keys(app.env)));
  });

  it('runs each process of the Procfile', () => {
    const processes = [...read('Procfile').matchAll(/^(\w+): node (\S+)$/gm)].map(([, name]) => name);

    expect(Object.keys(app.formation)).toEqual(processes);
  });
});

describe('the workflows', () => {
  const workflow = (name: string) =>
    parse(read(`.github/workflows/${name}.yml`)) as {
      permissions: object;
      jobs: Record<string, { strategy?: { matrix: { node: number[] } }; steps: { run?: string; uses?: string }[] }>;
    };

  it('test every supported Node version with the README’s command', () => {
    const { jobs, permissions } = workflow('ci');

    expect(jobs['test']?.strategy?.matrix.node).toEqual([20, 22, 24, 26]);
    expect(jobs['test']?.steps.some(({ run }) => run === '.ci/run')).toBe(true);
    expect(permissions).toEqual({ contents: 'read' });
  });

  it('release with provenance and an SBOM', () => {
    const text = read('.github/workflows/release.yml');

    expect(text).toContain('actions/attest-build-provenance');
    expect(text).toContain('npm sbom --sbom-format cyclonedx --omit dev');
  });

  it('release the image under the tag that the chart pulls', () => {
    const [, tag = ''] = /tags: .+:(.+)$/m.exec(read('.github/workflows/release.yml')) ?? [];
    const chart = parse(read('deploy/helm/cardbell/Chart.yaml')) as { appVersion: string };

    expect(tag).toMatch(/^\$\{\{ env\.VERSION \}\}$/);
    expect(chart.appVersion).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });
});

it('every file named in an installation page exists', () => {
  for (const page of ['README', 'image', 'kubernetes', 'systemd', 'procfile']) {
    const text = read(`docs/install/${page}.md`).replaceAll(/\S*\*\S*/g, '');
    const named = [...text.matchAll(/`?\b((?:deploy|docs)\/[\w./-]*\w)/g)].map(([, path]) => path ?? '');
    for (const path of named) expect(() => readFileSync(path), `${page}.md names ${path}`).not.toThrow(/ENOENT/);
    for (const [, link] of text.matchAll(/\]\((?!http|#)([^)#]+)/g))
      expect(() => read(`docs/install/${link}`), `${page}.md links ${link}`).not.toThrow();
  }
});

describe('deploy/proxy/nginx.conf', () => {
  it.each([
    ['/webhooks/card-status', true],
    ['/webhooks/eu/decline', true],
    ['/webhooks/uk2/card-status', true],
    ['/slack/events', true],
    ['/webhooks/eu/uk/decline', false],
    ['/metrics', false],
  ])('passes %s on: %s', (path, isPassed) => {
    const [, pattern = ''] = /location ~ (\S+) \{/.exec(read('deploy/proxy/nginx.conf')) ?? [];

    expect(new RegExp(pattern).test(path)).toBe(isPassed);
  });

  it('is valid for the nginx of Debian 12 (1.22), without the `http2` directive of 1.25.1', () => {
    expect(read('deploy/proxy/nginx.conf')).not.toMatch(/^\s*http2\b/m);
  });
});
