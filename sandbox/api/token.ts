import { z } from 'zod';
import { ServiceError } from '../service-error.ts';
import { toServiceTime } from '../service-time.ts';
import type { World } from '../state/world.ts';
import { LocalTime } from '../webhook/schema.ts';
import { id } from './response-parts.ts';
import { ok, type Route } from './route.ts';

const CurrentToken = z.strictObject({
  AppId: z.string(),
  BusinessAccountId: id,
  BusinessAccountName: z.string(),
  CardholderAccountId: z.null(),
  UserType: z.string(),
  Username: z.string(),
  Token: z.string(),
  TokenExpiration: LocalTime,
});

/**
 * The token of an `Authorization` header.
 *
 * @throws ServiceError 401 for a missing header, a scheme the service does not know, or a token it did not issue.
 */
export function authenticate(world: World, header: string | undefined, knownToken: string): string {
  if (header === undefined || header.trim() === '') throw new ServiceError(401, 'Missing authorization header');
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/);
  if (!world.assume.tokenScheme.includes(scheme.toLowerCase())) throw new ServiceError(401, 'Bad authorization scheme');
  if (rest.length > 0 || token !== knownToken) throw new ServiceError(401, 'Token expired or does not exist');
  return token;
}

/** The token call that a client makes at startup: who am I, and until when? */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/Token/Current',
    does: 'Whose token this is, and when it expires',
    response: CurrentToken,
    answer: ({ world, token }) => {
      const { business } = world.state;
      return ok({
        AppId: 'cardbell-sandbox',
        BusinessAccountId: business.businessAccountId,
        BusinessAccountName: business.name,
        CardholderAccountId: null,
        UserType: 'BusinessAdmin',
        Username: 'program.admin',
        Token: token,
        // Tokens live six months.
        TokenExpiration: toServiceTime(new Date(world.now().getTime() + 182 * 86_400_000)),
      });
    },
  },
];
