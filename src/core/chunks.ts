/** The items in lists of at most `size`, in order: a command with all of them would block Redis for too long. */
export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_none, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
