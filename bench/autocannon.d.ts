/** The part of autocannon that we use; it ships no types. https://github.com/mcollina/autocannon#api */
declare module 'autocannon' {
  interface Request {
    body?: string;
  }
  interface Options {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    overallRate?: number;
    method: 'POST';
    headers: Readonly<Record<string, string>>;
    requests: { setupRequest: (request: Request) => Request }[];
  }
  interface Result {
    requests: { average: number; total: number };
    latency: { p50: number; p99: number };
    non2xx: number;
    errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
