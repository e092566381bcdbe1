import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { documentedCommands, pages } from './support/documented-commands.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** Files matching a path whose last part may contain a `*`. */
function filesOf(path: string): string[] {
  const [before = '', after = ''] = basename(path).split('*');
  const folder = dirname(path);
  if (!path.includes('*')) return existsSync(path) ? [path] : [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => join(folder, name));
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(pages)('the links of %s', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);

  it('point to existing files and headings', () => {
    const dead = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(dead).toEqual([]);
  });
});

it('each backup that the shell writes can be read only by its owner', () => {
  const rows = read('docs/backup.md').match(/`[^`]* backup - > FILE[^`]*`/g);

  expect(rows).toHaveLength(2);
  for (const row of rows ?? []) expect(row).toMatch(/^`\(umask 077; .* > FILE\)`$/);
});

it('each page that has a new users.acl copied says what else must be in it before Redis restarts', () => {
  const copied = pages.flatMap((page) =>
    read(page)
      .split('\n\n')
      .filter((paragraph) => /upgrade|newer build/i.test(paragraph) && paragraph.includes('users.acl'))
      .map((paragraph) => [page, paragraph] as const),
  );

  expect(copied.map(([page]) => page).toSorted()).toEqual([
    'docs/install/kubernetes.md',
    'docs/install/systemd.md',
    'docs/operations.md',
  ]);
  for (const [page, paragraph] of copied) {
    expect(paragraph, page).toMatch(/\]\((?:\.\.\/)?programs\.md#setup\)/);
    expect(paragraph, page).toMatch(/users of your own/);
  }
});

it('with Compose, the folder of the policy file is mounted, because a mounted file stays the former one when it is replaced', () => {
  const page = read('docs/install/image.md');
  const [, folder = ''] = /`\.\/\w+:(\/[\w/-]+):ro`/.exec(page) ?? [];
  const [, file = ''] = /`POLICY_FILE=(\S+)`/.exec(page) ?? [];

  expect([folder, dirname(file)]).toEqual([expect.stringMatching(/./), folder]);
});

const { scripts, devDependencies } = JSON.parse(read('package.json')) as {
  scripts: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
};
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, { profiles?: string[] }>>;
  volumes: object;
};
const values = parse(read('deploy/helm/cardbell/values.yaml')) as Readonly<Record<string, unknown>>;
const verbs = [...read('bin/cardbell.ts').matchAll(/^ {2}(\w+): (?:\{ file|longRunning)/gm)].map(([, verb]) => verb);
const unitText = filesOf('deploy/systemd/*.service').map(read).join();
const has = (name: string, what: object): string[] => (name in what ? [] : [`there is no ${name}`]);
const hasFile = (path: string): string[] => (filesOf(path).length > 0 ? [] : [`there is no file ${path}`]);

/** Whether `--set one.two` is a value of the chart. */
function isValue(path: string): boolean {
  let at: unknown = values;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(name in at)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}

/** Checks that the flags of a command occur in the source of its program. */
function flagsOf(text: string, program: string): string[] {
  const source = read(`bin/${program}.ts`) + (program === 'trigger' ? read('sandbox/trigger/arguments.ts') : '');
  return [...text.matchAll(/--([a-z][a-z-]*)/g)].flatMap(([, flag = '']) =>
    source.includes(flag) || flag === 'field' ? [] : [`${program} has no --${flag}`],
  );
}

const cardbell = (line: string): string[] => {
  const [verb = ''] = line.trim().split(' ');
  return verbs.includes(verb) || ['version', 'completion', 'help'].includes(verb)
    ? []
    : [`cardbell has no verb ${verb}`];
};

/** A check for each kind of command. Those that can run here are also run by `test/flow/docs.test.ts` and CI. */
const checks: readonly (readonly [RegExp, (...parts: string[]) => string[]])[] = [
  [/^(?:sudo )?npm (?:ci|test|start|prune|sbom)\b/, () => []],
  [
    /^(?:sudo )?npm run (?:--silent )?([\w:]+)(.*)$/,
    (name = '', rest = '') => {
      const program = /dist\/bin\/(\w+)\.js/.exec(scripts[name] ?? '')?.[1];
      return [...has(name, scripts), ...(program === undefined ? [] : flagsOf(rest.replace(/^ -- /, ''), program))];
    },
  ],
  [/^(?:node dist\/bin\/)?cardbell(?:\.js)? (.*)$/, cardbell],
  [/^node --env-file=\.env dist\/(src\/\w+)\.js$/, (name = '') => hasFile(`${name}.ts`)],
  [/^git (?:clone|pull)\b|^sudo git\b|^cd\b/, () => []],
  [/^(?:sudo )?cp (\S+) \S+$/, hasFile],
  // A file of the Redis host, which docs/install/README.md creates.
  [/^sudo sed .* \/etc\/redis\/users\.acl$/, () => []],
  [
    /^docker compose (.*)$/,
    (rest = '') => {
      const profile = /--profile (\S+)/.exec(rest)?.[1];
      const profiles = Object.values(compose.services).flatMap((service) => service.profiles ?? []);
      const named = [...rest.matchAll(/\b(web|worker|demo|redis|proxy)\b/g)].map(([, name = '']) => name);
      const verb = /(?:run --rm (?:-T )?\w+|cardbell\.js) (\w+)/.exec(rest)?.[1];
      return [
        ...(profile === undefined || profiles.includes(profile) ? [] : [`there is no profile ${profile}`]),
        ...named.flatMap((name) => has(name, compose.services)),
        ...(verb === undefined ? [] : cardbell(verb)),
      ];
    },
  ],
  [
    /^curl -s http:\/\/127\.0\.0\.1:4010\/simulate\/(\w+) -d '(.*)'$/,
    (name = '', body = '') => {
      JSON.parse(body);
      return read('docs/sandbox.md').includes(`| \`${name}\` |`) ? [] : [`nothing simulates ${name}`];
    },
  ],
  [/^docker (?:stop|run|build|push)\b/, () => []],
  [/^docker volume rm cardbell_(\w+)$/, (volume = '') => has(volume, compose.volumes)],
  [/^npx tsx \S+$/, () => has('tsx', devDependencies)],
  [
    /^heroku (?:create|addons:create|config:set|ps|ps:scale|ps:restart|logs)\b|^git push heroku\b|^chmod \d+\b/,
    () => [],
  ],
  [
    /^helm upgrade(.*)$/,
    (rest = '') => [
      ...(rest === '' ? [] : hasFile('deploy/helm/cardbell/Chart.yaml')),
      ...[...rest.matchAll(/--set ([\w.]+)=/g)].flatMap(([, path = '']) =>
        isValue(path) ? [] : [`the chart has no value ${path}`],
      ),
    ],
  ],
  [
    /^(?:kubectl exec (?:deployment\/cardbell-(?:web|worker)|(?:-i )?cardbell-command) -- |heroku run )node dist\/bin\/cardbell\.js (.*)$/,
    cardbell,
  ],
  [
    /^kubectl (?:scale --replicas=\d|rollout restart|port-forward) (.*)$/,
    (rest = '') => [...rest.matchAll(/deployment\/cardbell-(\w+)/g)].flatMap(([, name = '']) => has(name, values)),
  ],
  [
    /^kubectl (?:create secret generic|patch secret) cardbell-(\w+)/,
    (name = '') => has(name, values['secrets'] as object),
  ],
  [/^kubectl (?:get pods|logs) -l app\.kubernetes\.io\/(?:name=cardbell|component=worker)\b/, () => []],
  [
    /^kubectl debug POD .* --copy-to=cardbell-command --container=worker -- sleep infinity$|^kubectl delete pod cardbell-command$/,
    () => [],
  ],
  [/^helm rollback cardbell$/, () => []],
  [/^sudo (?:apt-get install -y|install -d|chmod \d+|systemctl daemon-reload)\b/, () => []],
  [
    /^(?:sudo )?(?:systemctl \S+(?: --now)?|journalctl) (.*)$/,
    (rest = '') => [...rest.matchAll(/cardbell-\w+/g)].flatMap(([unit]) => hasFile(`deploy/systemd/${unit}.service`)),
  ],
  [/^sudo sh -c '.*cardbell\.js (.*)'$/, cardbell],
  [
    /^curl -s http:\/\/127\.0\.0\.1:(\S+?)\/(\w+)$/,
    (port = '', route = '') => [
      ...(port.startsWith('$') || unitText.includes(`ADMIN_PORT=${port}`) ? [] : [`no unit listens on ${port}`]),
      ...(read('src/ops/admin-server.ts').includes(`'/${route}'`) ? [] : [`there is no route /${route}`]),
    ],
  ],
];

describe('the commands of the docs', () => {
  it.each([...new Set(documentedCommands().map(({ text }) => text))])('%s', (text) => {
    const found = checks.find(([pattern]) => pattern.test(text));
    expect(found, 'unknown kind of command: add a check to this file').toBeDefined();
    const [, ...parts] = found?.[0].exec(text) ?? [];
    expect(found?.[1](...parts)).toEqual([]);
  });
});

it('with Compose, no command needs a worker that runs: one that cannot start restarts for ever', () => {
  const needing = documentedCommands().filter(({ text }) => /docker compose exec .*\bworker .*cardbell\.js/.test(text));

  expect(needing).toEqual([]);
});

it('each runbook that restarts or stops a process links how on each platform', () => {
  const unclear = filesOf('docs/runbooks/Cardbell*.md').filter((page) => {
    const [, steps = ''] = read(page).split('## What to do');
    return (
      /\brestart\b|\bstop\b|\/readyz|more workers/i.test(steps) && !steps.includes('README.md#commands-by-platform')
    );
  });

  expect(unclear).toEqual([]);
});

it.each(['image', 'kubernetes', 'systemd', 'procfile'])(
  'the installation in %s.md takes fewer than 20 commands',
  (way) => {
    const commands = documentedCommands().filter(({ page }) => page === `docs/install/${way}.md`);
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.length).toBeLessThan(20);
  },
);

it.each(['image', 'kubernetes', 'systemd', 'procfile'])(
  '%s.md has a backup taken before an upgrade, and says how to roll back',
  (way) => {
    const [, upgrade, back] =
      /^\*\*Upgrade:\*\*(.+)^\*\*Roll back:\*\*(.+?)^$/ms.exec(`${read(`docs/install/${way}.md`)}\n`) ?? [];

    expect(upgrade).toContain('[backup](../backup.md)');
    expect(back).toContain('(../operations.md#upgrades)');
  },
);

it('the site links a page for every task', () => {
  const sidebar = read('docs/.vitepress/config.js');
  for (const page of [
    'configure',
    'commands',
    'policy',
    'audit',
    'operations',
    'backup',
    'slo',
    'performance',
    'sandbox',
    'contribute',
    'security',
  ])
    expect(sidebar).toContain(`'/${page}'`);
  for (const page of filesOf('docs/install/*.md')) {
    const name = page.replace(/^docs|\.md$/g, '').replace(/README$/, '');
    expect(sidebar).toContain(`'${name}'`);
  }
});

it('the README has two halves, Try it and Run it', () => {
  const halves = [...read('README.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(halves).toEqual(['Try it', 'Run it']);
});

it.each(['package-lock.json', 'docs/package-lock.json'])(
  '%s has a version of every named dependency, because npm ci would fail otherwise on some machines',
  (path) => {
    const { packages } = JSON.parse(read(path)) as {
      packages: Readonly<Record<string, { readonly [kind: string]: Readonly<Record<string, string>> | undefined }>>;
    };
    /** Whether it is next to the package, or in a parent folder. */
    const isThere = (from: string, name: string): boolean =>
      `${from === '' ? '' : `${from}/`}node_modules/${name}` in packages ||
      (from !== '' && isThere(from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name));
    const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !isThere(from, name)),
    );

    expect(missing).toEqual([]);
  },
);

it('the guide and the doctor require the same Redis version', () => {
  const [, major = ''] = /OLDEST_MAJOR = (\d+)/.exec(read('bin/doctor/check-redis.ts')) ?? [];

  const [, asked] = /^Redis ([\d.]+) or newer, Valkey/m.exec(read('docs/install/README.md')) ?? [];

  expect(asked).toBe(major);
});
