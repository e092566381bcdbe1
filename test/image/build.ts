import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findOrInstall } from '../../local/system-package.ts';

/**
 * Builds the image without an image registry. In place of the base pinned in the Dockerfile, it uses one assembled from
 * Debian packages and the `node` binary of the npm package `node`.
 */

const NODE_MAJOR = 24;
const NPM_MAJOR = 11;
const cache = resolve('node_modules/.cache/image');
const BASE = 'localhost/cardbell-test-base';
const IMAGE = 'localhost/cardbell-test';

const run = (program: string, args: readonly string[], cwd?: string): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });

const storage = ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run'), '--storage-driver', 'overlay'];
const buildah = (...args: readonly string[]): string =>
  run(findOrInstall(['buildah'], 'buildah'), [...storage, ...args]).trim();

const npmSetting = (name: string): string => run('npm', ['config', 'get', name]).trim();

export interface BuiltImage {
  /** The image config in Docker's format. */
  readonly config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Env: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck?: { readonly Test: readonly string[] };
  };
  /** The path of its root file system. */
  readonly root: string;
  remove(): void;
}

/** @param say receives progress lines, because some steps take minutes. */
export function buildImage(say: (line: string) => void): BuiltImage {
  mkdirSync(cache, { recursive: true });
  if (!hasImage(BASE)) makeBase(say);
  say('building the image');
  const folder = mkdtempSync(join(tmpdir(), 'cardbell-image-'));
  const npmrc = join(folder, 'npmrc');
  const ca = npmSetting('cafile');
  const hasCa = ca !== 'null' && ca !== '';
  writeFileSync(npmrc, `registry=${npmSetting('registry')}\n${hasCa ? `cafile=${ca}\n` : ''}`);
  try {
    const how = ['--isolation', 'chroot', '--format', 'docker', '--secret', `id=npmrc,src=${npmrc}`];
    const build = ['--build-arg', `BASE=${BASE}`, '--build-arg', 'REVISION=test', '--tag', IMAGE];
    buildah('bud', ...how, ...build, ...(hasCa ? ['--volume', `${ca}:${ca}:ro`] : []), '.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', IMAGE)) as {
    Docker: { config: BuiltImage['config'] };
  };
  const container = buildah('from', '--pull-never', IMAGE);
  return {
    config: Docker.config,
    root: buildah('mount', container),
    remove: () => void buildah('rm', container),
  };
}

function hasImage(name: string): boolean {
  try {
    buildah('inspect', '--type', 'image', name);
    return true;
  } catch {
    return false;
  }
}

function makeBase(say: (line: string) => void): void {
  const root = join(cache, 'base');
  rmSync(root, { recursive: true, force: true });
  say('assembling a base from Debian packages (once, some minutes)');
  const debian = run('sh', ['-c', '. /etc/os-release && echo $VERSION_CODENAME']).trim();
  const packages = ['--variant=minbase', '--include=ca-certificates,tini'];
  run(findOrInstall(['debootstrap'], 'debootstrap'), [...packages, debian, root, 'http://deb.debian.org/debian']);
  say('adding node and npm from npm packages');
  const folder = join(cache, 'npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', `node@${NODE_MAJOR}`, `npm@${NPM_MAJOR}`], folder);
  const modules = join(root, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(join(folder, 'node_modules/node/bin/node'), join(root, 'usr/local/bin/node'));
  cpSync(join(folder, 'node_modules/npm'), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, root, '/');
  buildah('commit', '--quiet', container, BASE);
  buildah('rm', container);
  rmSync(root, { recursive: true, force: true });
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
