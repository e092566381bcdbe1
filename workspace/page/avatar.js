import { h } from './dom.js';

const COLORS = ['#5b3a8c', '#1d7a8c', '#a8482f', '#2f6fb3', '#8a6d1f', '#9c3b67', '#3c7a45', '#5a5f73'];

/** A person's initials on a personal color, or the app's bell. */
export function avatar(user, small = false) {
  const size = small ? ' avatar-small' : '';
  if (!user || user.isBot) return h('img', { class: `avatar${size}`, src: 'bell.svg', alt: '' });
  const initials = user.realName
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();
  const color = COLORS[[...user.id].reduce((sum, letter) => (sum * 7 + letter.charCodeAt(0)) % 997, 0) % COLORS.length];
  return h('span', { class: `avatar${size}`, style: `background:${color}`, 'aria-hidden': 'true' }, initials);
}
