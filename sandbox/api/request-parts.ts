import { z } from 'zod';
import { invalidRequest, ServiceError } from '../service-error.ts';
import { toServiceTime } from '../service-time.ts';
import type { Account } from '../state/account.ts';
import { findAccount, type World } from '../state/world.ts';

/** A positive integer id from the path. */
export function idOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw invalidRequest('Id must be an integer.');
  return Number(text);
}

/** The card account with an id. A wrong id is refused with 403, never 404. */
export function accountOf(world: World, text: string | undefined): Account {
  const id = idOf(text);
  if (id === world.state.business.businessAccountId) throw new ServiceError(403, 'Must be card account ID');
  const account = findAccount(world, id);
  if (account === undefined) throw new ServiceError(403, 'Invalid card account ID');
  return account;
}

/** The same, for changes: a closed account accepts none. */
export function openAccountOf(world: World, text: string | undefined): Account {
  const account = accountOf(world, text);
  if (account.status === 'CLOSED') throw new ServiceError(403, 'Account closed');
  return account;
}

/** A body that matches a schema; otherwise 400: there is none, or it has these bad fields. */
export function bodyOf<T>(schema: z.ZodType<T>, body: unknown): T {
  if (body === undefined || body === null) throw invalidRequest('A JSON body is required.');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw invalidRequest(details.join('; '));
}

/** A query's range in Eastern wall time, both ends included. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
}

/** A datetime of the service, without an offset. */
const LocalDatetime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/);
export const DateRangeQuery = z.object({ StartDate: LocalDatetime, EndDate: LocalDatetime });
/** A switch of a query. */
export const Flag = z.enum(['1', '0', 'true', 'false', '']);

/** False for days that do not exist, such as February 30, which `Date` would read as days of March. */
function isDate(local: string): boolean {
  const ms = Date.parse(`${local}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === local.slice(0, 10);
}

/** `StartDate` and `EndDate`, without offset, no further apart than the service allows. */
export function dateRangeOf(world: World, query: URLSearchParams, required = true): DateRange {
  const start = queryValue(query, 'StartDate');
  const end = queryValue(query, 'EndDate');
  for (const [name, value] of [
    ['StartDate', start],
    ['EndDate', end],
  ] as const) {
    if (value === null && required) throw invalidRequest(`${name} is required.`);
    if (value === null) continue;
    if (!LocalDatetime.safeParse(value).success || !isDate(value))
      throw invalidRequest(`${name} must be YYYY-MM-DDThh:mm:ss.`);
  }
  if (start === null || end === null) return { start: start ?? '', end: end ?? '9999' };
  if (start > end) throw invalidRequest('StartDate must not be after EndDate.');
  const latest = new Date(`${start}Z`);
  latest.setUTCMonth(latest.getUTCMonth() + world.assume.queryRangeMonths);
  if (Date.parse(`${end}Z`) > latest.getTime())
    throw invalidRequest(`The date range must not exceed ${world.assume.queryRangeMonths} months.`);
  return { start, end };
}

/** Whether an instant is in a range. */
export function isWithin(range: DateRange, at: Date): boolean {
  return isTextWithin(range, toServiceTime(at));
}

/** The same for a wall time. Wall times compare as text. */
export function isTextWithin({ start, end }: DateRange, local: string): boolean {
  return local >= start && local <= end;
}

/** A flag in a query: 1, 0, true or false in any case. */
export function flagOf(query: URLSearchParams, name: string): boolean {
  const value = Flag.safeParse(queryValue(query, name)?.toLowerCase() ?? 'false');
  if (!value.success) throw invalidRequest(`${name} must be 1 or 0.`);
  return value.data === '1' || value.data === 'true';
}

/** Query names are case-insensitive, like paths. */
function queryValue(query: URLSearchParams, name: string): string | null {
  for (const [key, value] of query) if (key.toLowerCase() === name.toLowerCase()) return value;
  return null;
}
