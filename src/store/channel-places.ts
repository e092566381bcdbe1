import type { Place } from '../alert/place.ts';

const FRESH_MS = 10 * 60_000;
const RETRY_MS = 30_000;
/** An alert that shows less is better than one that comes late. */
const PATIENCE_MS = 1500;

/**
 * Who can read a channel, asked of Slack and remembered for ten minutes. A channel that cannot be looked up counts as
 * public: then the least is shown.
 */
export function createPlaceOf(
  channelInfo: (channel: string) => Promise<{ isPrivate: boolean; isExtShared: boolean }>,
  now: () => number = Date.now,
): (channel: string) => Promise<Place> {
  const known = new Map<string, { place: Place; until: number }>();

  return async function placeOf(channel) {
    if (channel.startsWith('D')) return 'direct';
    const remembered = known.get(channel);
    if (remembered !== undefined && remembered.until > now()) return remembered.place;
    let place: Place = 'public';
    let freshMs = FRESH_MS;
    try {
      const { isPrivate, isExtShared } = await inTime(channelInfo(channel));
      // Another company reads along in a shared channel, whatever Slack calls it here.
      place = isPrivate && !isExtShared ? 'private' : 'public';
    } catch {
      freshMs = RETRY_MS;
    }
    known.set(channel, { place, until: now() + freshMs });
    return place;
  };
}

async function inTime<T>(asking: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
  });
  try {
    return await Promise.race([asking, late]);
  } finally {
    clearTimeout(timer);
  }
}
