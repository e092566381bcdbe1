import { createRouter } from '../../sandbox/api/route.ts';
import { REMOVED, ROUTES } from '../../sandbox/api/routes.ts';
import type { Sandbox } from '../../sandbox/server.ts';

const match = createRouter(ROUTES);
const removed = new Set(REMOVED.map(([method, path]) => `${method} ${path}`));

/** Calls to unknown or removed endpoints of the service, for example `POST /Card/Create`. */
export function callsOutside(calls: Sandbox['calls']): string[] {
  return calls
    .map(({ method, path }) => ({ method, path: path.replace(/^\/v\d+(?=\/)/, '') }))
    .filter(({ method, path }) => {
      const found = match(method, path);
      return !('route' in found) || removed.has(`${found.route.method} ${found.route.path}`);
    })
    .map(({ method, path }) => `${method} ${path}`);
}
