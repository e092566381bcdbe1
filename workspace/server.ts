import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, shut } from '../local/port.ts';
import { handleApi } from './api.ts';
import { type Core, createCore } from './core.ts';
import { sendFile, takeUpload } from './file-transfer.ts';
import type { WorkspaceOptions } from './options.ts';
import { handlePage } from './page-control.ts';
import { sendPage } from './page-files.ts';
import { requestUrl } from './request-url.ts';
import { handleResponseUrl } from './respond.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export type { Delivery } from './delivery.ts';
export type { Fault, FaultKind } from './faults.ts';
export type { StoredFile, StoredMessage, StoredMetadata } from './message.ts';
export type { WorkspaceChannel, WorkspaceOptions, WorkspaceUser, WorkspaceUserGroup } from './options.ts';
export type { ApiCall } from './state.ts';
export type { StoredView } from './view.ts';
export type { Workspace } from './workspace.ts';

async function route(core: Core, request: IncomingMessage, response: ServerResponse) {
  const url = requestUrl(request, core.origin);
  if (url === null) return void response.writeHead(400).end('the address cannot be read');
  const [, first = ''] = url.pathname.split('/');
  // An external page must not reach this server through a name that resolves to the loopback address.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) return void response.writeHead(421).end();
  switch (first) {
    case 'api':
      return await handleApi(core, request, response, url);
    case 'commands':
    case 'actions':
      return await handleResponseUrl(core, request, response, url);
    case 'upload':
      return await takeUpload(core, request, response, url);
    case 'files':
      return sendFile(core, response, url);
    case 'page':
      return await handlePage(core, request, response, url);
    default:
      return await sendPage(response, url);
  }
}

/** Node 20 closes an idle connection after 5 seconds, and a call sent at that moment fails. Slack keeps them longer. */
const KEEP_ALIVE_MS = 72_000;

/** Starts a local Slack workspace on the loopback address. */
export async function startWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const core = createCore(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.setHeader('date', new Date(core.now()).toUTCString());
    route(core, request, response).catch((error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`workspace: ${request.method} ${request.url}: ${reason}\n`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end('internal error');
    });
  });
  server.on('upgrade', core.socket.accept);
  core.origin = `http://127.0.0.1:${await listen(server, options.port)}`;
  return createWorkspace(core, async () => {
    core.socket.closeAll();
    await shut(server);
  });
}
