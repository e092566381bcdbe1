const asked = new URLSearchParams(location.search);

/** The page's state; `app.js` adds its actions. Passed to everything that draws. */
export const store = {
  me: asked.get('user') ?? localStorage.getItem('user') ?? '',
  place: asked.get('channel') ?? '',
  users: [],
  groups: [],
  channels: [],
  commands: [],
  messageShortcuts: [],
  globalShortcuts: [],
  team: { name: '' },
  app: { name: '' },
  messages: new Map(),
  unread: new Map(),
  /** Timestamps of messages to redraw. */
  stale: new Set(),
  firstUnread: undefined,
  modal: null,
  home: null,
  thread: undefined,
  /** Timestamp of the message that the URL points to, until the viewer scrolls on. */
  pointed: undefined,
  people: {
    get me() {
      return store.me;
    },
    get zone() {
      return store.people.user(store.me)?.tz ?? 'America/New_York';
    },
    user: (id) => store.users.find((user) => user.id === id),
    channel: (id) => store.channels.find((channel) => channel.id === id),
    group: (id) => store.groups.find((group) => group.id === id),
    users: () => store.users.filter((user) => !user.isBot),
    channels: () => store.channels.filter((channel) => !channel.directUser),
  },
  messagesOf: (channel) =>
    [...store.messages.values()]
      .filter((message) => message.channel === channel)
      .sort((a, b) => (a.ts < b.ts ? -1 : 1)),
  placeName() {
    if (store.place === 'home') return `${store.app.name} Home`;
    const channel = store.people.channel(store.place);
    return channel?.directUser ? store.app.name : `#${channel?.name ?? store.place}`;
  },
  address: (channel) => `/?channel=${encodeURIComponent(channel)}&user=${encodeURIComponent(store.me)}`,
};
