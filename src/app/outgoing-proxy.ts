interface OutgoingProxy {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts to reach directly, in the format of `NO_PROXY`. */
  readonly except: string;
}

/** This machine is never reached through a proxy. The brackets keep `:1` from being read as a port. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/** The lowercase names work too and take precedence, as with curl. */
export const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

type ProxyVariables = { readonly [Name in (typeof proxyNames)[number]]?: string | undefined };

/** Null when no proxy is set, or no host may use one (`NO_PROXY=*`). */
export function proxyOf(values: ProxyVariables): OutgoingProxy | null {
  const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: except } = values;
  const isOff = except?.split(/[\s,]+/).includes('*') === true;
  if (isOff || (http === undefined && https === undefined)) return null;
  return { http, https, except: except === undefined ? LOOPBACK : `${except},${LOOPBACK}` };
}

/** Sends every `fetch` of this process through the proxy, if there is one. Slack's SDK uses `fetch` too. */
export async function useProxy(proxy: OutgoingProxy | null): Promise<void> {
  if (proxy === null) return;
  // A megabyte of code that most installations never need.
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  const { http, https, except } = proxy;
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: http ?? '', httpsProxy: https ?? '', noProxy: except }));
}
