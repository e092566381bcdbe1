/**
 * Makes an element. Children are nodes or texts; a text is never read as HTML.
 * Fields: `class`, `on…` listeners, `data-…`, `aria-…` and other attributes; false and undefined leave an attribute out.
 */
export function h(tag, fields = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name === 'class' ? 'class' : name, value === true ? '' : String(value));
  }
  append(node, children);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an SVG element. */
export function svg(tag, fields = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(fields)) node.setAttribute(name, String(value));
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Number.POSITIVE_INFINITY)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
}

/** The address when it is safe to follow, else undefined: messages must not carry `javascript:`. */
export function safeUrl(address) {
  return /^(https?:\/\/|mailto:|tel:)/i.test(String(address)) ? String(address) : undefined;
}

/** A link that opens beside the page. */
export function link(address, ...children) {
  const href = safeUrl(address);
  if (!href) return h('span', {}, ...children);
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** Replaces everything in a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}
