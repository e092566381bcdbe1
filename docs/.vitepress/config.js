import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Pages outside this folder. A page here includes each of them. Their links are relative to their own location. */
const above = {
  'README.md': 'index.md',
  'CONTRIBUTING.md': 'contribute.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
  'workspace/README.md': 'workspace.md',
  'templates/STYLE.md': 'style.md',
};
const sourceOf = Object.fromEntries(Object.entries(above).map(([source, page]) => [page, source]));

/** The site path of a repository path; null if it is neither a page nor a picture. */
function onSite(path) {
  if (path in above) return `/${above[path]}`;
  if (/^docs\/.*\.(md|png)$/.test(path)) return path.replace(/^docs/, '').replace(/README\.md$/, 'index.md');
  return existsSync(join(root, path)) ? null : path;
}

/** The links in the pages work on GitHub. This converts them to links of the site. Links to files without a page become plain text. */
function linkLikeSite(md) {
  md.core.ruler.after('inline', 'links-of-repository', ({ tokens, env }) => {
    const page = env.relativePath.replace(/(?<=\/)index\.md$/, 'README.md');
    const from = dirname(sourceOf[page] ?? `docs/${page}`);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const name = { link_open: 'href', image: 'src' }[token.type];
      const [path, anchor] = (name && token.attrGet(name))?.split('#') ?? [];
      if (!path || /^[a-z]+:/.test(path)) continue;
      const link = onSite(join(from, path));
      if (link === null) token.attrs = [];
      else
        token.attrSet(
          name,
          [token.type === 'image' ? relativeTo(env.relativePath, link) : link, anchor].filter(Boolean).join('#'),
        );
    }
  });
}

/** Picture paths are relative to the page. */
function relativeTo(page, link) {
  return `./${relative(dirname(`/${page}`), link)}`;
}

const runbooks = readdirSync(join(root, 'docs/runbooks'))
  .filter((name) => name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''));
const page = (text, link) => ({ text, link });

/** Builds the site from the pages that GitHub shows. A dead link fails the build. */
export default defineConfig({
  title: 'Cardbell',
  description: 'A Slack bot for companies that run a business card program',
  rewrites: { 'install/README.md': 'install/index.md', 'runbooks/README.md': 'runbooks/index.md' },
  markdown: { config: linkLikeSite },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      {
        text: 'Start',
        items: [page('Cardbell', '/'), page('What people see', '/what-people-see'), page('Commands', '/commands')],
      },
      {
        text: 'Install',
        items: [
          page('Before you start', '/install/'),
          page('With the image', '/install/image'),
          page('On Kubernetes', '/install/kubernetes'),
          page('Under systemd', '/install/systemd'),
          page('On a Procfile platform', '/install/procfile'),
        ],
      },
      {
        text: 'Run',
        items: [
          page('Configure', '/configure'),
          page('Several programs', '/programs'),
          page('Policy', '/policy'),
          page('Audit record', '/audit'),
          page('Operate', '/operations'),
          page('Backup and restore', '/backup'),
          page('Service levels', '/slo'),
          page('Performance', '/performance'),
          page('Security', '/security'),
        ],
      },
      {
        text: 'Runbooks',
        collapsed: true,
        items: [
          page('All', '/runbooks/'),
          ...runbooks.map((name) => page(name.replace(/^Cardbell/, ''), `/runbooks/${name}`)),
        ],
      },
      {
        text: 'Develop',
        items: [
          page('Sandbox', '/sandbox'),
          page('Local workspace', '/workspace'),
          page('Contributing', '/contribute'),
          page('Changelog', '/changelog'),
        ],
      },
    ],
  },
});
