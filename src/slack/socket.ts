import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type Logger, SocketModeReceiver } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import type { Log } from '../core/log.ts';

const RETRY_MAX_MS = 30_000;
const RETRY_MIN_MS = 250;

/**
 * Bolt's receiver over Socket Mode. It does not reconnect by itself: if that fails, the SDK rejects a promise that nobody
 * can catch, which ends the process. `createSocket` reconnects.
 */
export function createSocketReceiver(appToken: string, logger: Logger, clientOptions: WebClientOptions) {
  return new SocketModeReceiver({ appToken, logger, autoReconnectEnabled: false, installerOptions: { clientOptions } });
}

/** Keeps the socket to Slack open: Slack closes it every few hours, and connections break. */
export function createSocket(app: Pick<App, 'start' | 'stop'>, { client }: SocketModeReceiver, log: Log) {
  let state: 'connecting' | 'connected' | 'stopped' = 'connecting';
  /** Attempts since the last connection that lasted. */
  let attempts = 0;
  let connectedAt = 0;

  client.on('connected', () => {
    if (state !== 'connecting') return;
    state = 'connected';
    connectedAt = performance.now();
  });
  client.on('disconnected', () => {
    // While it is being opened, this rejects `app.start`.
    if (state !== 'connected') return;
    state = 'connecting';
    log.warn({}, 'lost the socket to Slack; opening it again');
    if (performance.now() - connectedAt > RETRY_MAX_MS) attempts = 0;
    void open();
  });

  /** Retries until it works. */
  async function open(): Promise<void> {
    while (state === 'connecting') {
      if (attempts > 0) await sleep(Math.min(RETRY_MIN_MS * 2 ** attempts, RETRY_MAX_MS), undefined, { ref: false });
      if (isStopped()) return;
      attempts += 1;
      try {
        await app.start();
        // The SDK forgets that it was told to stop while it was connecting.
        if (isStopped()) await app.stop();
        return;
      } catch (error) {
        // The SDK gives no reason if the socket closes before Slack has greeted.
        const err = error ?? new Error('Slack closed the socket before it was open');
        log.error({ err }, 'could not open the socket to Slack; retrying');
      }
    }
  }

  const isStopped = (): boolean => state === 'stopped';

  return {
    open,
    /** False as soon as the socket closes, which may take Slack up to 30 seconds to confirm. */
    isOpen: () => state === 'connected' && client.websocket?.isActive() === true,
    async close(): Promise<void> {
      const wasConnected = state === 'connected';
      state = 'stopped';
      if (wasConnected) await app.stop();
    },
  };
}
