import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';

/** Through which Slack and the card API are reached. */
export interface OutgoingProxy {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached directly, as `NO_PROXY` has them. */
  readonly except: string;
}

/** What is on this machine is never reached through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/** Null where no proxy is set. */
export function proxyOf(values: {
  readonly HTTP_PROXY?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}): OutgoingProxy | null {
  const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: except } = values;
  if (http === undefined && https === undefined) return null;
  return { http, https, except: except === undefined ? LOOPBACK : `${except},${LOOPBACK}` };
}

/** Sends every `fetch` of this process through the proxy. Slack's SDK calls by `fetch` as well. */
export function useProxy({ http, https, except }: OutgoingProxy): void {
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: http ?? '', httpsProxy: https ?? '', noProxy: except }));
}
